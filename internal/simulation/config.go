package simulation

import (
	"time"

	"github.com/nightshift-go/nightshift/pkg/client"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Defaults of a Config.
const (
	DefaultRelay     = 300 * time.Millisecond
	DefaultTail      = 24 * time.Hour
	DefaultColdStart = 500 * time.Millisecond
	DefaultEvery     = time.Second
	DefaultClients   = 1000
)

// A Config is one run: a queue, what comes to it, and what goes wrong. The zero value
// of each field but Policy, Load and For means its default.
type Config struct {
	// Name tells the run from others in tables and plots.
	Name string
	// Policy is the task's, with its queue. Required. Workers, limit and timeouts
	// follow from it (sizing.For).
	Policy job.Policy
	// Workers are how many there are instead of what the plan says; drain rate and
	// limit follow them.
	Workers int
	// Unbounded leaves the gate out: whatever is asked for is accepted.
	Unbounded bool
	// Gates is how many processes admit, each with a gate of its own that knows
	// nothing of the others; zero means 1.
	Gates int

	// Load is what clients ask for. Required.
	Load Load
	// For is how long they do. Required.
	For time.Duration
	// Until is when the run ends, from its beginning; zero means when all jobs
	// have ended, DefaultTail after For at most.
	Until time.Duration

	// Service is how long the handlers take.
	Service Service
	// Faults is what goes wrong.
	Faults Faults
	// Clients is what those do who are refused.
	Clients Clients
	// Delivery is the way from row to worker.
	Delivery Delivery
	// Table is what the jobs' table takes.
	Table Table

	// Scale is how many jobs a simulated one stands for; zero means 1. Twenty
	// workers are left at least. Batches are dissolved.
	Scale int
	// Seed makes the run's chance. The same seed gives the same run.
	Seed uint64
}

// A Load is what clients ask for.
type Load struct {
	// Curve is the rate over time. Required.
	Curve Curve
	// Even spaces arrivals evenly; otherwise they are independent of one another
	// (a Poisson process).
	Even bool
	// Keys is how many keys jobs have, each as often as the others: a job takes the
	// place of one that waits with the same (job.Uniqueness.NewestWins). Zero means
	// that they have none.
	Keys int
}

// A Service is how long a handler takes.
type Service struct {
	// Distribution is that of the times; zero means Constant.
	Distribution Distribution
	// Mean is their average; zero means the queue's ServiceTime.
	Mean time.Duration
	// Spread is the standard deviation of LogNormal as a share of the mean; zero
	// means 0.5.
	Spread float64
	// Values are the times that Empirical draws from, each as likely as the
	// others. Their mean is what it is.
	Values []time.Duration
	// Degraded is the share of the work that a degraded job does (job.Degrade);
	// zero means a half. The rest is a job of its own, for when the queue is
	// short.
	Degraded float64
}

// A Distribution is one of service times.
type Distribution string

// The distributions.
const (
	Constant    Distribution = ""
	Exponential Distribution = "exponential"
	LogNormal   Distribution = "lognormal"
	Empirical   Distribution = "empirical"
)

// Faults is what goes wrong. Shares lie between 0 and 1.
type Faults struct {
	// Attempts is the share of attempts that fail, Poison the share of jobs
	// whose every attempt does, and Crashes the share of attempts whose process
	// dies in the middle.
	Attempts, Poison, Crashes float64
	// FailAfter is how long an attempt takes that fails; zero means as long as
	// one that succeeds.
	FailAfter time.Duration
	// Dependency is how many attempts a second what is behind the workers bears:
	// who comes above it fails. Zero means any number.
	Dependency job.Rate
	// Outages are times of trouble.
	Outages []Outage
}

// An Outage is a time of trouble.
type Outage struct {
	// From is its beginning, from that of the run, and For how long it lasts.
	From, For time.Duration
	// Kind is what happens.
	Kind OutageKind
	// Factor is how much longer handlers take, where Kind is Slow.
	Factor float64
}

// An OutageKind is what happens in an outage.
type OutageKind string

// The kinds of outages. What an attempt meets is decided when it starts.
const (
	// Stopped: no worker takes a message.
	Stopped OutageKind = "stopped"
	// Failing: every attempt fails.
	Failing OutageKind = "failing"
	// Slow: handlers take Factor times as long.
	Slow OutageKind = "slow"
)

// Clients is what those do who are refused.
type Clients struct {
	// Behaviour is what; zero means Obey.
	Behaviour Behaviour
	// Retry is the rule of those who obey.
	Retry client.RetryPolicy
	// Every is how soon those are back who ignore what they are told; zero means
	// DefaultEvery.
	Every time.Duration
	// Number is how many clients there are, each with a retry budget of its own;
	// zero means DefaultClients.
	Number int
}

// A Behaviour is what clients do who are refused.
type Behaviour string

// The behaviours.
const (
	// Obey: they wait as they are told, and back off (client.RetryPolicy).
	Obey Behaviour = ""
	// Ignore: they are back after Every, again and again.
	Ignore Behaviour = "ignore"
	// GiveUp: they don't come back.
	GiveUp Behaviour = "leave"
)

// Delivery is the way from a job's row to its worker.
type Delivery struct {
	// Relay is how long a job takes from its row to the queue; zero means
	// DefaultRelay, a negative one no time at all.
	Relay time.Duration
	// RelayRate is how many jobs a second the relay publishes; zero means any
	// number.
	RelayRate job.Rate
	// Duplicates is the share of messages that the queue delivers twice.
	Duplicates float64
	// Visibility is how long a received message stays hidden; zero means what
	// the plan says, and for processes that poll what they hold (package worker).
	Visibility time.Duration
	// Plain workers have neither claims nor heartbeats: whoever receives a
	// message does the work, and deletes the message after it. It is what a
	// program does that reads a queue by hand.
	Plain bool
	// ColdStart is how long an invocation takes longer for which there is no warm
	// environment; zero means DefaultColdStart, a negative one no time at all.
	ColdStart time.Duration
	// Queues is how many SQS queues share the work, each with the quotas of one;
	// zero means 1.
	Queues int
	// Room is how many jobs the broker holds, where that is not SQS, whose queues
	// hold any number; zero means any. What does not fit is refused.
	Room int
	// RemovingNeedsRoom stops workers from taking jobs off a broker that is full.
	RemovingNeedsRoom bool
}

// A Table is what the jobs' table takes.
type Table struct {
	// Writes is how many it takes a second at first, its warm throughput. Zero
	// means any number.
	Writes job.Rate
	// PerJob is how many writes an enqueue, a claim and a completion are; zero
	// means 1 each.
	PerJob Writes
}

// Writes are units of 1 KB.
type Writes struct {
	Enqueue, Claim, Complete int
}
