// Package scenarios holds the situations that the simulator plays by name: each a
// queue in trouble, with what helps beside it.
package scenarios

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// A Scenario is a situation, and how it goes in one way and in another.
type Scenario struct {
	// Name is what it is called by, Title what a plot of it is.
	Name, Title string
	// Doc says what happens and what to look at, in a paragraph.
	Doc string
	// Runs are played through and shown side by side.
	Runs []simulation.Config
	// Usage is set where the limits of AWS and the monthly bill belong to the
	// picture: package sizing works them out for the first run's plan.
	Usage *sizing.Usage
}

// All are the scenarios, in the order in which they are best read.
func All() []Scenario {
	return []Scenario{
		chefSpike(), fullQueue(), outage(), retryStorm(), videoTimeout(), slackOutage(), slackPeak(), autoscaling(),
	}
}

// Find gives a scenario by name.
func Find(name string) (Scenario, bool) {
	for _, s := range All() {
		if s.Name == name {
			return s, true
		}
	}
	return Scenario{}, false
}

// photos is the queue of a site's photos: 20 uploads a second in the evening, three
// seconds each, and nobody waits longer than ten minutes. Ninety workers follow.
func photos() job.Policy {
	return job.Policy{
		Queue: job.Queue{
			Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute,
		},
		MaxAttempts: 5,
		Timeout:     50 * time.Second,
	}
}

// with gives a configuration under another name, changed.
func with(c simulation.Config, name string, change func(*simulation.Config)) simulation.Config {
	c.Name = name
	change(&c)
	return c
}
