package nightshifttest

import (
	"context"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// Record gives a job's row as it is, also where its time to live is over. A job that
// does not exist ends the test.
func (k *Kit) Record(id job.ID) store.Record {
	k.t.Helper()
	return k.find(id).rec
}

// State gives a job's state. A job that does not exist ends the test.
func (k *Kit) State(id job.ID) lifecycle.State {
	k.t.Helper()
	return k.find(id).rec.State
}

// WantState fails the test, with the job's history, where it is in another state.
func (k *Kit) WantState(id job.ID, want lifecycle.State) {
	k.t.Helper()
	e := k.find(id)
	if e.rec.State != want {
		k.t.Errorf("nightshifttest: job %s of %s is %s, want %s\n%s", id, e.rec.Task, e.rec.State, want, e.shortHistory())
	}
}

// Result gives the result of a job that is done. One that is not, has none, or has one
// that is no R ends the test.
func Result[R any](k *Kit, id job.ID) R {
	k.t.Helper()
	e := k.find(id)
	if e.rec.State != lifecycle.Done {
		k.t.Fatalf("nightshifttest: job %s of %s has no result: it is %s\n%s", id, e.rec.Task, e.rec.State, e.shortHistory())
	}
	data := e.rec.Result
	if e.rec.ResultObject != nil {
		data = k.object(*e.rec.ResultObject)
	}
	if len(data) == 0 {
		k.t.Fatalf("nightshifttest: job %s is done and has no result: results are kept of tasks that job.DefineResult made", id)
	}
	result, err := payload.Decode[R](data)
	if err != nil {
		k.t.Fatalf("nightshifttest: the result of job %s of %s, %s: no %T: %v", id, e.rec.Task, short(data), result, err)
	}
	return result
}

// object fetches what was too large for a row.
func (k *Kit) object(claim lifecycle.Object) []byte {
	k.t.Helper()
	data, err := k.Objects.Get(context.Background(), claim)
	if err != nil {
		k.t.Fatalf("nightshifttest: fetching %s: %v", claim.Key, err)
	}
	return data
}

// Letters gives what lies in a queue's dead-letter queue, the oldest first.
func (k *Kit) Letters(of job.Queue) []deadletter.Letter {
	k.t.Helper()
	q := k.queueNamed(of.Name)
	if q == nil {
		k.t.Fatalf("nightshifttest: queue %q is of none of the kit's tasks", of.Name)
	}
	var letters []deadletter.Letter
	for _, m := range k.sqs.Peek(q.letters) {
		letters = append(letters, deadletter.Read(queue.Incoming{ID: m.ID, Body: m.Body, Sent: m.Sent, Receives: m.Receives, Group: m.Group, Trace: m.Trace}))
	}
	return letters
}

// Redrive lets a dead job start anew, and takes its letter away. A job that is not dead
// ends the test, and so does one whose unique key another job has by now.
func (k *Kit) Redrive(ctx context.Context, id job.ID) {
	k.t.Helper()
	e := k.find(id)
	standing, err := deadletter.RedriveJob(ctx, k.Jobs, id)
	if err != nil || standing != deadletter.Current {
		k.t.Fatalf("nightshifttest: job %s of %s, which is %s, can't be redriven: %s %v\n%s", id, e.rec.Task, e.rec.State, standing, err, e.shortHistory())
	}
	q := k.queueNamed(e.rec.Queue)
	for _, m := range k.sqs.Take(q.letters, len(k.sqs.Peek(q.letters))) {
		if message, err := queue.DecodeMessage(m.Body); err == nil && message.ID == id {
			k.sqs.Delete(q.letters, m.Receipt)
			continue
		}
		k.sqs.Show(q.letters, m.ID)
	}
}
