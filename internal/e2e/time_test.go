package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/client"
)

// In a stack whose time is scaled a photo is made into its sizes as in any other: nothing
// times out, nothing runs twice, links hold, and its row tells the stack's times.
func TestAPhotoInAStackWhoseTimeFlies(t *testing.T) {
	logs := &lines{}
	config := stackConfig(built, logs)
	config.Prebuilt, config.TimeScale = true, 600
	stack, err := runner.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(logs)
		}
	})
	if err := stack.Clock().Until(t.Context(), stack.Clock().Now().Add(2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(client.Config{URL: stack.HTTPURL()})
	if err != nil {
		t.Fatal(err)
	}
	data, err := samplephotos.All()[0].Data()
	if err != nil {
		t.Fatal(err)
	}
	// Who asks again and again is at work: else each question would be minutes later, and
	// an upload's URL, which holds for ten, over after a second.
	release := stack.Clock().Hold()
	began := stack.Clock().Now()
	key, err := c.Upload(t.Context(), samplephotos.All()[0].ContentType(), data)
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Enqueue(t.Context(), "photo.resize", tasks.ResizePhoto{Key: key})
	if err == nil {
		job, err = c.Wait(t.Context(), job.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if job.State != "done" || job.Attempts != 1 {
		t.Fatalf("the job ended %s after %d attempts: %+v", job.State, job.Attempts, job.Error)
	}
	end := stack.Clock().Now()
	if job.CreatedAt.Before(began.Add(-time.Millisecond)) || job.StartedAt.Before(job.CreatedAt) || job.FinishedAt.Before(job.StartedAt) || job.FinishedAt.After(end) {
		t.Errorf("between %v and %v it was made %v, begun %v, done %v", began, end, job.CreatedAt, job.StartedAt, job.FinishedAt)
	}
	var sizes tasks.Sizes
	if err := json.Unmarshal(job.Result, &sizes); err != nil {
		t.Fatal(err)
	}
	response, err := http.Get(stack.HTTPURL() + sizes.Sizes[0].URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var picture bytes.Buffer
	if _, err := picture.ReadFrom(response.Body); err != nil || response.StatusCode != http.StatusOK || picture.Len() == 0 {
		t.Errorf("a size: %s, %d bytes, %v", response.Status, picture.Len(), err)
	}
	release()
}
