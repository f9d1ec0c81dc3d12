package e2e_test

import (
	"net/http"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/client"
)

// TestQueuedJobIsCancelled uses a stack whose queues nobody polls, so that the
// job is still there to be cancelled.
func TestQueuedJobIsCancelled(t *testing.T) {
	idle := idleStack(t)
	c, err := client.New(client.Config{URL: idle.HTTPURL()})
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Enqueue(t.Context(), "photo.resize", tasks.ResizePhoto{Key: "uploads/everyone/0123456789abcdefghjkmnpqrs"})
	if err != nil {
		t.Fatal(err)
	}
	if got := send(t, "DELETE", idle.HTTPURL()+job.StatusURL, ""); got.status != http.StatusAccepted {
		t.Errorf("answered %d: %s", got.status, got.body)
	}
	if job, err = c.Status(t.Context(), job.ID); err != nil || job.State != "cancelled" || job.Attempts != 0 {
		t.Errorf("the job is %s after %d attempts (%v)", job.State, job.Attempts, err)
	}
	// Once more, as a client does whose first answer was lost.
	if got := send(t, "DELETE", idle.HTTPURL()+job.StatusURL, ""); got.status != http.StatusAccepted {
		t.Errorf("the second time answered %d: %s", got.status, got.body)
	}
}
