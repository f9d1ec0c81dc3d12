package scenariofile

import "slices"

// Common are the fields of a run, which all runs of a file may have in common.
type Common struct {
	Queue struct {
		Name         string   `yaml:"name"`
		PeakArrivals rate     `yaml:"peak_arrivals"`
		ServiceTime  duration `yaml:"service_time"`
		LongestWait  duration `yaml:"longest_wait"`
		Utilisation  float64  `yaml:"utilisation"`
		Batch        int      `yaml:"batch"`
		Bound        int      `yaml:"bound"`
		Polled       bool     `yaml:"polled"`
		Rounding     int      `yaml:"rounding"`
		Full         string   `yaml:"full"`
		SpillLimit   int      `yaml:"spill_limit"`
		MostWorkers  int      `yaml:"most_workers"`
	} `yaml:"queue"`
	Task struct {
		MaxAttempts int      `yaml:"max_attempts"`
		Timeout     duration `yaml:"timeout"`
		ShedAt      float64  `yaml:"shed_at"`
		Backoff     struct {
			Base     duration `yaml:"base"`
			Factor   float64  `yaml:"factor"`
			Floor    duration `yaml:"floor"`
			Cap      duration `yaml:"cap"`
			NoJitter bool     `yaml:"no_jitter"`
		} `yaml:"backoff"`
	} `yaml:"task"`
	Load struct {
		Rate   rate    `yaml:"rate"`
		Daily  *daily  `yaml:"daily"`
		Trace  string  `yaml:"trace"`
		Spikes []spike `yaml:"spikes"`
		Even   bool    `yaml:"even"`
		Keys   int     `yaml:"keys"`
	} `yaml:"load"`
	For       duration `yaml:"for"`
	Until     duration `yaml:"until"`
	Workers   int      `yaml:"workers"`
	Unbounded bool     `yaml:"unbounded"`
	Gates     int      `yaml:"gates"`
	Service   struct {
		Distribution string     `yaml:"distribution"`
		Mean         duration   `yaml:"mean"`
		Spread       float64    `yaml:"spread"`
		Values       []duration `yaml:"values"`
		Degraded     float64    `yaml:"degraded"`
	} `yaml:"service"`
	Faults struct {
		Attempts   float64  `yaml:"attempts"`
		Poison     float64  `yaml:"poison"`
		Crashes    float64  `yaml:"crashes"`
		FailAfter  duration `yaml:"fail_after"`
		Dependency rate     `yaml:"dependency"`
		Outages    []outage `yaml:"outages"`
	} `yaml:"faults"`
	Clients struct {
		Behaviour   string   `yaml:"behaviour"`
		Every       duration `yaml:"every"`
		Number      int      `yaml:"number"`
		Attempts    int      `yaml:"attempts"`
		LongestWait duration `yaml:"longest_wait"`
	} `yaml:"clients"`
	Delivery struct {
		Relay             duration `yaml:"relay"`
		RelayRate         rate     `yaml:"relay_rate"`
		Duplicates        float64  `yaml:"duplicates"`
		Visibility        duration `yaml:"visibility"`
		Plain             bool     `yaml:"plain"`
		ColdStart         duration `yaml:"cold_start"`
		Queues            int      `yaml:"queues"`
		Room              int      `yaml:"room"`
		RemovingNeedsRoom bool     `yaml:"removing_needs_room"`
	} `yaml:"delivery"`
	Table struct {
		Writes rate `yaml:"writes"`
	} `yaml:"table"`
	Scale int    `yaml:"scale"`
	Seed  uint64 `yaml:"seed"`
}

type daily struct {
	Least  rate     `yaml:"least"`
	Most   rate     `yaml:"most"`
	PeakAt duration `yaml:"peak_at"`
}

type spike struct {
	From duration `yaml:"from"`
	For  duration `yaml:"for"`
	Rate rate     `yaml:"rate"`
}

type outage struct {
	From   duration `yaml:"from"`
	For    duration `yaml:"for"`
	Kind   string   `yaml:"kind"`
	Factor float64  `yaml:"factor"`
}

// clone gives a copy that shares nothing which decoding another run would change.
func (c Common) clone() Common {
	if c.Load.Daily != nil {
		d := *c.Load.Daily
		c.Load.Daily = &d
	}
	c.Load.Spikes = slices.Clone(c.Load.Spikes)
	c.Faults.Outages = slices.Clone(c.Faults.Outages)
	c.Service.Values = slices.Clone(c.Service.Values)
	return c
}
