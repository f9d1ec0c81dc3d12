package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// slow is a table that takes its time for every write.
type slow struct{ store.Driver }

func (s slow) Write(ctx context.Context, w store.Write) (store.Item, error) {
	time.Sleep(50 * time.Millisecond)
	item, err := s.Driver.Write(ctx, w)
	time.Sleep(50 * time.Millisecond)
	return item, err
}

// An answer tells of what is in the table already: a client that asks in the same
// moment finds the job that it was told of, and the cancellation that it asked for.
func TestAnswersTellOfWhatIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAPI(t)
		a.driver.Driver = slow{a.driver.Driver}
		see := func(id job.ID) string {
			answer := a.send(a.status.Handle, event(t, "status", path("id", string(id))))
			if answer.StatusCode != 200 {
				t.Fatalf("%s: %d %s", id, answer.StatusCode, answer.Body)
			}
			return answer.Body
		}
		for i := range 100 {
			id := a.accept(header("idempotency-key", fmt.Sprint(i)))
			if body := see(id); !strings.Contains(body, `"state":"queued"`) {
				t.Errorf("after its enqueueing: %s", body)
			}
			want := `"state":"cancelled"`
			if i%2 == 0 {
				a.run(id, lifecycle.Outcome{}) // it runs, and is asked to stop
				want = `"cancel_requested":true`
			}
			if answer := a.send(a.cancel.Handle, event(t, "cancel", path("id", string(id)))); answer.StatusCode != 202 {
				t.Fatalf("%d %s", answer.StatusCode, answer.Body)
			}
			if body := see(id); !strings.Contains(body, want) {
				t.Errorf("after its cancellation: %s", body)
			}
		}
	})
}
