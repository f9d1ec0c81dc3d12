package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image/gif"
	"image/jpeg"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/videos/sampleclips"
	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/client"
)

// aFilm takes some seconds to work on, of which the job tells every other: a pot, for half
// a minute or more.
func aFilm(t *testing.T, width, seconds int) []byte {
	t.Helper()
	data, err := sampleclips.Film{Width: width, Height: width * 9 / 16, Frames: 10 * seconds, Rate: 10, Bare: true, Sound: true}.AVI()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// order uploads a film and asks for what is to be made of it.
func order(ctx context.Context, t *testing.T, c *client.Client, kind string, film []byte) client.Job {
	t.Helper()
	key, err := c.Upload(ctx, kind, film)
	if err != nil {
		t.Fatal(err)
	}
	job, err := c.Enqueue(ctx, "video.transcode", tasks.TranscodeVideo{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	return job
}

// progressOf is how far a job says it has come; nothing where it says nothing.
func progressOf(t *testing.T, j client.Job) (p tasks.VideoProgress) {
	t.Helper()
	if j.Progress == nil {
		return p
	}
	if err := json.Unmarshal(j.Progress, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// A film goes through the stack: its queue is polled by processes.
func TestAFilm(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t)
	job := order(ctx, t, c, "video/x-msvideo", aFilm(t, 640, 30))
	var seen []tasks.VideoProgress
	job, err := c.Watch(ctx, job.ID, func(j client.Job) {
		if p := progressOf(t, j); p.Of > 0 && !j.Finished() {
			seen = append(seen, p)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if job.State != "done" || job.Attempts != 1 {
		t.Fatalf("the job ended %s after %d attempts (%+v)", job.State, job.Attempts, job.Error)
	}
	if len(seen) == 0 || seen[0].Of != 300 || seen[0].Percent >= 100 {
		t.Errorf("the progress seen on the way was %v", seen)
	}
	checkFilm(t, crumb, job, 640, 30)
}

// checkFilm looks at what was made of a film, as a page would.
func checkFilm(t *testing.T, stack *runner.Stack, job client.Job, width int, seconds float64) {
	t.Helper()
	var video tasks.Video
	if err := json.Unmarshal(job.Result, &video); err != nil {
		t.Fatal(err)
	}
	if video.Seconds != seconds {
		t.Errorf("it lasts %v s", video.Seconds)
	}
	for _, made := range []tasks.Size{video.Clip, video.Preview, video.Poster} {
		response, err := http.Get(stack.HTTPURL() + made.URL)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK || len(data) != made.Bytes {
			t.Fatalf("%s: %d, %d bytes, %v", made.URL, response.StatusCode, len(data), err)
		}
		if made.Name == "poster" {
			if picture, err := jpeg.Decode(bytes.NewReader(data)); err != nil || picture.Bounds().Dx() != width {
				t.Errorf("the poster: %v", err)
			}
			continue
		}
		file, err := gif.DecodeAll(bytes.NewReader(data))
		if err != nil || file.Config.Width != made.Width || len(file.Image) < 10 {
			t.Errorf("%s: %v", made.Name, err)
		}
	}
}

// Films that can never work say so, and those of other types are not even uploaded.
func TestFilmsThatAreRefused(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t)
	job := order(ctx, t, c, "video/avi", aFilm(t, 640, 2)[:40_000])
	job, err := c.Wait(ctx, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	checkDead(t, job, "truncated")
	if got := send(t, "POST", "/uploads", `{"content_type":"video/mp4","bytes":9}`); got.status != http.StatusUnsupportedMediaType {
		t.Errorf("an MP4: %d %s", got.status, got.body)
	}
	if got := send(t, "POST", "/uploads", `{"content_type":"video/avi","bytes":67108865}`); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("a byte too many: %d %s", got.status, got.body)
	}
}

// ownStack starts a stack whose processes a test may end, on a folder.
func ownStack(t *testing.T, folder string, logs *lines) (*runner.Stack, *client.Client) {
	t.Helper()
	config := stackConfig(built, logs)
	config.Prebuilt, config.DataDir = true, folder
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
	c, err := client.New(client.Config{URL: stack.HTTPURL()})
	if err != nil {
		t.Fatal(err)
	}
	return stack, c
}

// begun waits until a film's job has come some way.
func begun(ctx context.Context, t *testing.T, c *client.Client, j client.Job) {
	t.Helper()
	until(t, "progress", func() bool {
		var err error
		if j, err = c.Status(ctx, j.ID); err != nil || j.Finished() {
			t.Fatalf("%s, %v: before it could be disturbed", j.State, err)
		}
		return progressOf(t, j).Frames > 20
	})
}

// Every process is killed in the middle of a film: another finishes it, when the
// message is visible again.
func TestAFilmWhoseProcessIsKilled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	stack, c := ownStack(t, runner.InMemory, &lines{})
	job := order(ctx, t, c, "video/avi", aFilm(t, 480, 60))
	begun(ctx, t, c, job)
	for range 2 {
		if killed, err := stack.Kill("videos", func(int) int { return 0 }); !killed || err != nil {
			t.Fatalf("killed %v, %v", killed, err)
		}
	}
	job, err := c.Wait(ctx, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if job.State != "done" || job.Attempts != 2 {
		t.Fatalf("the job ended %s after %d attempts (%+v), want done after two", job.State, job.Attempts, job.Error)
	}
	checkFilm(t, stack, job, 480, 60)
}

// The stack stops in the middle of a film: the process gives the job back, and the next
// stack goes on with it, at once and with no attempt spent.
func TestAFilmWhoseStackStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	folder := t.TempDir()
	logs := &lines{}
	stack, c := ownStack(t, folder, logs)
	job := order(ctx, t, c, "video/avi", aFilm(t, 480, 60))
	begun(ctx, t, c, job)
	if err := stack.Close(); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(logs.String(), `"msg":"drained"`) {
		t.Errorf("no process says that it drained")
	}
	stack, c = ownStack(t, folder, logs)
	job, err := c.Wait(ctx, job.ID)
	if err != nil {
		t.Fatal(err)
	}
	if job.State != "done" || job.Attempts != 1 {
		t.Fatalf("the job ended %s after %d attempts (%+v), want done after one", job.State, job.Attempts, job.Error)
	}
	checkFilm(t, stack, job, 480, 60)
}
