package relay

import (
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// message makes what is sent for a row.
func (r *Relay) message(row store.Record, letters, fifo bool) (queue.Outgoing, error) {
	m := queue.Message{ID: row.ID, N: row.Publication.N, Trace: row.Trace}
	if letters {
		m.Letter = letter(row)
		return m.LetterOut(fifo)
	}
	body, err := m.Encode()
	if err != nil {
		return queue.Outgoing{}, err
	}
	trace, _ := telemetry.ParseTrace(row.Trace)
	out := queue.Outgoing{Body: body, Trace: trace.AWSTraceHeader()}
	if at := row.Publication.At; !at.Equal(row.Created) {
		out.Attributes = queue.Ready(at)
	}
	if fifo {
		out.Group, out.Dedup = groupID(row.ID), queue.Fitting(fmt.Sprintf("%s:%d", row.ID, m.N))
		return out, nil
	}
	if r.config.Addresses[row.Queue].Fair && row.Client != "" {
		out.Group = queue.Fitting(row.Client)
	}
	if wait := row.Publication.At.Sub(r.config.Now()); wait > 0 {
		out.Delay = wait
	}
	return out, nil
}

func letter(row store.Record) *queue.Letter {
	l := &queue.Letter{
		Task: row.Task, Queue: row.Queue, Attempts: row.Attempt, MaxAttempts: row.MaxAttempts,
		Deaths: row.Deaths, Client: row.Client,
		CreatedAt: row.Created, StartedAt: row.Started, DiedAt: row.Finished,
	}
	if row.Error != nil {
		l.Code, l.Reason = row.Error.Code, row.Error.Message
	}
	return l
}

// groupID is the message group of a job: its own group, and for a job that has
// none the job itself.
func groupID(id job.ID) string {
	if _, group, ok := id.Group(); ok {
		return queue.Fitting(group)
	}
	return queue.Fitting(string(id))
}
