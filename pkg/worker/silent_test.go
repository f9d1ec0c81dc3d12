package worker_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// silent is an object storage whose writes stand still until their context ends.
type silent struct{ *memobjects.Driver }

func (silent) Put(ctx context.Context, _ string, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}

func withSilence(t *testing.T) func(*worker.Config) {
	objects, err := claimcheck.New(silent{memobjects.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	return func(c *worker.Config) { c.Objects = objects }
}

// A storage that does not answer must not use up the time in which the end of a run
// is written: the job would run again, and the run count as its worker's death.
func TestAStorageThatDoesNotAnswerCostsNoRun(t *testing.T) {
	for name, c := range map[string]struct {
		size  int
		state lifecycle.State
		code  string
	}{
		"a result for the row":    {worker.MaxResult, lifecycle.Done, ""},
		"a result for an object":  {worker.MaxResult + 1, lifecycle.Queued, "result_not_kept"},
		"a result of a few bytes": {100, lifecycle.Done, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAttic(t, withSilence(t), giving(c.size))
				id := a.enqueue("a", nil)
				a.deliver(message(id))
				rec := a.get(id)
				if rec.State != c.state || rec.Attempt != 1 || (rec.Error == nil) != (c.code == "") || rec.Error != nil && rec.Error.Code != c.code {
					t.Errorf("%s after %d attempts, error %+v", rec.State, rec.Attempt, rec.Error)
				}
			})
		})
	}
}

// The same where the handler ends its job itself.
func TestACommitWithAStorageThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result := string(make([]byte, 9<<10))
		a := newAttic(t, withSilence(t), worker.HandleResult(resultTask, func(ctx context.Context, j *job.Job[note]) (string, error) {
			return "", worker.CommitResult(ctx, j, result)
		}))
		id := a.enqueue("a", nil)
		a.deliver(message(id))
		if rec := a.get(id); rec.State != lifecycle.Done || len(rec.Result) < len(result) {
			t.Errorf("%s with %d bytes, error %+v", rec.State, len(rec.Result), rec.Error)
		}
	})
}
