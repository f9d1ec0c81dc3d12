package newsletter

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// pageSize is how many copies are enqueued in one transaction. It has 100 actions at
// most; the job's end and the part's row are two.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
const pageSize = 90

// A part is how far a shard's subscribers were gone through. Key: issue#<Monday>,
// part#<shard>. The place lies here and not with the job, so that a job that
// died and is redriven goes on where it was.
type part struct {
	After string `dynamodbav:"after"` // the cursor of the next page
	Total int    `dynamodbav:"total"` // copies enqueued
	Done  bool   `dynamodbav:"done"`
}

func partKey(p tasks.IssuePart) rows.Key {
	return rows.Key{Partition: issueKey(p.Monday).Partition, Sort: fmt.Sprintf("part#%02d", p.Shard)}
}

// FanOut is the handler of tasks.FanOut: a page of subscribers in each run.
func (n *Newsletter) FanOut(ctx context.Context, j *job.Job[tasks.IssuePart]) error {
	issue, err := Read(ctx, n.Table, j.Args.Monday)
	if err != nil {
		return err
	}
	at, begun, err := rows.Get[part](ctx, n.Table, partKey(j.Args))
	if err != nil || at.Done {
		return err
	}
	found, err := rows.List[Subscriber](ctx, n.Table, rows.Range{Partition: subscribersIn(j.Args.Shard), Limit: pageSize, After: at.After})
	if err != nil {
		return err
	}
	next := part{After: found.Next, Total: at.Total + len(found.Rows), Done: found.Next == ""}
	// Key: the part. Condition: nobody went on from here. A lost race means that
	// another run did.
	condition, values := rows.Absent, rows.Values(nil)
	if begun {
		condition, values = "#after = :after", rows.Values{":after": at.After}
	}
	writes, err := n.Table.Change().Put(partKey(j.Args), next, condition, values).Writes()
	if err != nil {
		return err
	}
	if len(found.Rows) > 0 {
		copies, err := n.Outbox.Writes(ctx, issue.copies(found.Rows)...)
		if err != nil {
			return err
		}
		writes = append(writes, copies...)
	}
	if next.Done {
		return worker.Commit(ctx, j, writes...)
	}
	return worker.CommitContinue(ctx, j, next.After, writes...)
}

// copies enqueues a job for each subscriber. Its id follows from the issue and the
// subscriber: the table takes it once.
func (i Issue) copies(subscribers []Subscriber) []outbox.Action {
	actions := make([]outbox.Action, len(subscribers))
	for k, s := range subscribers {
		c := tasks.IssueCopy{Issue: tasks.Issue{Monday: i.Monday}, Reader: s.Reader}
		actions[k] = outbox.Enqueue(tasks.SendCopy.With(c), job.WithID(i.copyID(s.Reader), i.Monday+"/"+s.Reader))
	}
	return actions
}

func (i Issue) copyID(reader string) job.ID {
	mac := hmac.New(sha256.New, []byte(i.Seed))
	mac.Write([]byte("copy/" + reader))
	return job.IDOf([16]byte(mac.Sum(nil)[:16]))
}
