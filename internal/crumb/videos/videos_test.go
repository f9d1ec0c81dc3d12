package videos_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/gif"
	"image/jpeg"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/videos"
	"github.com/nightshift-go/nightshift/internal/crumb/videos/sampleclips"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

const (
	id     = "0123456789abcdefghjkmnpqrs"
	upload = "uploads/everyone/" + id
)

// A bucket holds objects in memory, and fails when it is told to.
type bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
	kinds   map[string]string
	puts    []string
	fail    func(key string) error // of puts
}

// newBucket holds one upload.
func newBucket(data []byte, kind string) *bucket {
	return &bucket{objects: map[string][]byte{upload: data}, kinds: map[string]string{upload: kind}}
}

func (b *bucket) Get(ctx context.Context, key string, limit int64) ([]byte, string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	data, ok := b.objects[key]
	switch {
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case !ok:
		return nil, "", objects.ErrMissing
	case int64(len(data)) > limit:
		return nil, "", objects.ErrTooLarge
	}
	return data, b.kinds[key], nil
}

func (b *bucket) Put(ctx context.Context, key string, data []byte, contentType, _ string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		if err := b.fail(key); err != nil {
			return err
		}
	}
	b.objects[key], b.kinds[key] = data, contentType
	b.puts = append(b.puts, key)
	return ctx.Err()
}

// film is five seconds: three segments.
func film(t *testing.T) []byte {
	t.Helper()
	data, err := sampleclips.Film{Width: 96, Height: 64, Frames: 50, Rate: 10}.AVI()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// clock goes on by a second each time that it is looked at.
func clock() func() time.Time {
	now := nightshifttest.DefaultStart
	return func() time.Time { now = now.Add(time.Second); return now }
}

func run(t *testing.T, b *bucket, key string) nightshifttest.Ran[tasks.Video] {
	t.Helper()
	return nightshifttest.RunResult(t, tasks.Transcode, tasks.TranscodeVideo{Key: key}, videos.New(b, clock()).Transcode)
}

func TestAFilmIsTranscoded(t *testing.T) {
	b := newBucket(film(t), "video/x-msvideo")
	ran := run(t, b, upload)
	if ran.State != lifecycle.Done || ran.Err != nil {
		t.Fatalf("%s: %v", ran.State, ran.Err)
	}
	v := ran.Result
	if v.Seconds != 5 || v.Clip.URL != "/videos/"+id+"/clip.gif" || v.Clip.Width != 96 || v.Poster.Height != 64 {
		t.Errorf("%+v", v)
	}
	for _, size := range []tasks.Size{v.Clip, v.Preview, v.Poster} {
		if data := b.objects[size.Key]; len(data) != size.Bytes || "/"+size.Key != size.URL {
			t.Errorf("%+v, and %d bytes there", size, len(data))
		}
	}
	if file, err := gif.DecodeAll(bytes.NewReader(b.objects[v.Clip.Key])); err != nil || len(file.Image) != 50 || b.kinds[v.Clip.Key] != "image/gif" {
		t.Errorf("the clip: %v", err)
	}
	if _, err := jpeg.Decode(bytes.NewReader(b.objects[v.Poster.Key])); err != nil || b.kinds[v.Poster.Key] != "image/jpeg" {
		t.Errorf("the poster: %v", err)
	}
	var progress tasks.VideoProgress
	if err := json.Unmarshal(ran.Progress, &progress); err != nil || progress.Of != 50 || progress.Frames < 40 || progress.Percent != 2*progress.Frames {
		t.Errorf("the progress is %s, %v", ran.Progress, err)
	}
}

// A run that dies leaves what is done to the next one, which writes the same files as
// one that never died.
func TestTheNextRunGoesOn(t *testing.T) {
	source := film(t)
	undisturbed := newBucket(source, "video/avi")
	want := run(t, undisturbed, upload)

	broken := newBucket(source, "video/avi")
	unavailable := errors.New("503 SlowDown")
	broken.fail = func(key string) error {
		if strings.HasSuffix(key, "/segments/002") {
			return unavailable
		}
		return nil
	}
	first := run(t, broken, upload)
	if first.State != lifecycle.Queued || !errors.Is(first.Err, unavailable) || !first.Spent {
		t.Errorf("the first run: %s, %v", first.State, first.Err)
	}
	if made := broken.puts; len(made) != 2 {
		t.Errorf("the first run made %v", made)
	}
	broken.fail, broken.puts = nil, nil
	second := run(t, broken, upload)
	if second.State != lifecycle.Done || !reflect.DeepEqual(second.Result, want.Result) || !maps.EqualFunc(broken.objects, undisturbed.objects, bytes.Equal) {
		t.Error("the second run left something else than a run that never failed")
	}
	if again := slices.DeleteFunc(broken.puts, func(key string) bool { return !strings.Contains(key, "/segments/") }); len(again) != 1 {
		t.Errorf("made again were %v", again)
	}
	// A third one, of a job that was delivered twice, writes the same.
	if third := run(t, broken, upload); !reflect.DeepEqual(third.Result, want.Result) || !maps.EqualFunc(broken.objects, undisturbed.objects, bytes.Equal) {
		t.Error("the third run left something else")
	}
}

func TestFilmsThatCanNeverWork(t *testing.T) {
	good := film(t)
	large := newBucket(make([]byte, tasks.MostFilmBytes+1), "video/avi")
	for name, c := range map[string]struct {
		bucket    *bucket
		key, code string
	}{
		"an upload that never came": {newBucket(nil, ""), "uploads/everyone/98765432109876543210987654", "upload_missing"},
		"one that is too large":     {large, upload, "upload_too_large"},
		"no upload":                 {newBucket(good, "video/avi"), "videos/" + id + "/clip.gif", "bad_key"},
		"text":                      {newBucket([]byte("stir, and let it simmer"), "video/avi"), upload, "not_a_video"},
		"half a film":               {newBucket(good[:len(good)/2], "video/avi"), upload, "truncated"},
		"a photograph's type":       {newBucket(good, "image/jpeg"), upload, "type_mismatch"},
		"a film that breaks off":    {newBucket(bytes.Replace(good, []byte("\xff\xc0"), []byte("\xff\xc2"), 1), "video/avi"), upload, "unsupported"},
	} {
		before := len(c.bucket.objects)
		ran := run(t, c.bucket, c.key)
		var fail *job.FailError
		if ran.State != lifecycle.Dead || ran.Code != c.code || !errors.As(ran.Err, &fail) {
			t.Errorf("%s: %s %q, %v; want dead with %s", name, ran.State, ran.Code, ran.Err, c.code)
			continue
		}
		if text := ran.Err.Error(); text[0] < 'A' || text[0] > 'Z' || !strings.HasSuffix(text, ".") {
			t.Errorf("%s: %q is no sentence", name, text)
		}
		if len(c.bucket.objects) != before {
			t.Errorf("%s: something was left behind", name)
		}
	}
}

func TestSomebodyElsesFilm(t *testing.T) {
	j := job.New(job.Job[tasks.TranscodeVideo]{Args: tasks.TranscodeVideo{Key: upload}, Client: "ada"}, job.Internals{})
	if _, err := videos.New(newBucket(film(t), "video/avi"), clock()).Transcode(t.Context(), j); job.ErrorCode(err) != "not_your_upload" {
		t.Errorf("%v", err)
	}
}

// The end of the context is no failure of the film's.
func TestTheEndOfTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBucket(film(t), "video/avi")
	b.fail = func(string) error { cancel(); return nil }
	j := job.New(job.Job[tasks.TranscodeVideo]{Args: tasks.TranscodeVideo{Key: upload}}, job.Internals{})
	_, err := videos.New(b, time.Now).Transcode(ctx, j)
	var fail *job.FailError
	if !errors.Is(err, context.Canceled) || errors.As(err, &fail) {
		t.Errorf("%v", err)
	}
}
