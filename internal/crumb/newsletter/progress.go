package newsletter

import (
	"context"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// An Outcome is what became of a copy.
type Outcome string

// The outcomes. Each copy has one in the end.
const (
	// Sent: SES took it.
	Sent Outcome = "sent"
	// Refused: SES, or the look of the address, will never take it.
	Refused Outcome = "refused"
	// Skipped: the reader is no subscriber any more.
	Skipped Outcome = "skipped"
)

// countShards is how many rows an issue's counts lie in. A count is part of the
// transaction that ends a copy's job, and two transactions can't be on one row at
// the same time: there are many rows for few workers.
const countShards = 128

// counts are a share of what became of an issue's copies. Key: issue#<Monday>,
// count#<shard>.
type counts struct {
	Sent    int `dynamodbav:"sent"`
	Refused int `dynamodbav:"refused"`
	Skipped int `dynamodbav:"skipped"`
	Bounced int `dynamodbav:"bounced"`
}

func countKey(c tasks.IssueCopy) rows.Key {
	return rows.Key{Partition: issueKey(c.Monday).Partition, Sort: fmt.Sprintf("count#%03d", spread(c.Reader, countShards))}
}

// count adds one to an outcome. No condition: the receipt beside it is written once.
func count(c *rows.Changes, issue tasks.IssueCopy, outcome Outcome) *rows.Changes {
	return c.Update(countKey(issue), "ADD #"+string(outcome)+" :one", "", rows.Values{":one": 1})
}

// Progress is how far an issue is. Sent, Refused, Skipped and Waiting are Total.
type Progress struct {
	// Total is how many copies were enqueued; Complete tells that these are all.
	Total    int
	Complete bool
	Sent     int
	Refused  int
	Skipped  int
	// Bounced is how many of those sent came back.
	Bounced int
}

// Waiting is how many copies are still to be sent: queued, or dead letters.
func (p Progress) Waiting() int { return p.Total - p.Sent - p.Refused - p.Skipped }

// ReadProgress tells how far an issue is. While copies are sent, its parts are of
// slightly different moments.
func ReadProgress(ctx context.Context, table *rows.Table, monday string) (Progress, error) {
	var p Progress
	partition := issueKey(monday).Partition
	// Counts before parts: a copy is enqueued before it is sent, so that Waiting is
	// never negative.
	for c, err := range rows.All[counts](ctx, table, rows.Range{Partition: partition, Prefix: "count#"}) {
		if err != nil {
			return Progress{}, err
		}
		p.Sent, p.Refused, p.Skipped, p.Bounced = p.Sent+c.Sent, p.Refused+c.Refused, p.Skipped+c.Skipped, p.Bounced+c.Bounced
	}
	done := 0
	for at, err := range rows.All[part](ctx, table, rows.Range{Partition: partition, Prefix: "part#"}) {
		if err != nil {
			return Progress{}, err
		}
		p.Total += at.Total
		if at.Done {
			done++
		}
	}
	p.Complete = done == Shards
	return p, nil
}
