package tasks

import (
	"errors"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Newsletter is where the weekly newsletter waits. Its workers are few, so that they
// stay below the rate at which SES takes mail and leave the rest to UrgentMail; a
// morning is time enough for everybody's copy.
var Newsletter = job.Queue{
	Name:         "newsletter",
	PeakArrivals: job.PerSecond(14),
	ServiceTime:  250 * time.Millisecond,
	LongestWait:  6 * time.Hour,
	Utilisation:  0.9, // nobody minds a few minutes, and fewer workers are the point
	Batch:        2,
}

// newsletterPolicy: a run is short; what fails is tried again for about a day.
var newsletterPolicy = job.Policy{
	Queue: Newsletter, MaxAttempts: 20, Timeout: 20 * time.Second,
	Backoff: backoff.Policy{Base: 5 * time.Second, Cap: 6 * time.Hour},
}

// An Issue is the newsletter of one week, named by its Monday: "2026-01-05".
type Issue struct {
	Monday string `json:"monday"`
}

// Validate refuses what is no day.
func (i Issue) Validate() error {
	if _, err := time.Parse(time.DateOnly, i.Monday); err != nil {
		return fmt.Errorf("monday is %.40q: the issue's day, like 2026-01-05", i.Monday)
	}
	return nil
}

// BeginIssue picks what the issue says and has it sent to everybody. An issue is
// begun once, however often it is asked for.
var BeginIssue = job.Define[Issue]("newsletter.issue", newsletterPolicy)

// IssuePart is a share of an issue's subscribers.
type IssuePart struct {
	Issue
	Shard int `json:"shard"`
}

// FanOut enqueues a copy for each subscriber of a shard, some at a time: it
// continues until it has gone through all of them.
var FanOut = job.Define[IssuePart]("newsletter.fanout", newsletterPolicy)

// IssueCopy is an issue for one subscriber.
type IssueCopy struct {
	Issue
	Reader string `json:"reader"`
}

// Validate refuses a copy for nobody.
func (c IssueCopy) Validate() error {
	if c.Reader == "" {
		return errors.New("reader is missing: whose copy it is")
	}
	return c.Issue.Validate()
}

// SendCopy sends one subscriber's copy.
var SendCopy = job.Define[IssueCopy]("newsletter.send", newsletterPolicy)
