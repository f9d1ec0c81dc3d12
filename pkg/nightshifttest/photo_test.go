package nightshifttest_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// The application: a site takes a photo and has it resized in the background.

type ResizePhoto struct {
	Key string `json:"key"`
}

type Sizes struct {
	Thumb string `json:"thumb"`
}

var Photos = job.Queue{Name: "photos", PeakArrivals: job.PerSecond(20), ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}

var Resize = job.DefineResult[ResizePhoto, Sizes]("photo.resize", job.Policy{Queue: Photos, MaxAttempts: 5})

var errMissing = errors.New("there is no such upload")

type Bucket map[string]string

type Site struct{ Jobs *producer.Producer }

func (s Site) Upload(ctx context.Context, key string) (job.ID, error) {
	return s.Jobs.Enqueue(ctx, Resize.With(ResizePhoto{Key: key}), job.Unique(key))
}

type Resizer struct {
	Bucket Bucket
	Away   bool
}

func (r *Resizer) Resize(_ context.Context, j *job.Job[ResizePhoto]) (Sizes, error) {
	if r.Away {
		return Sizes{}, errors.New("the bucket is away")
	}
	photo, ok := r.Bucket[j.Args.Key]
	if !ok {
		return Sizes{}, job.Fail(errMissing)
	}
	r.Bucket[j.Args.Key+"/thumb"] = photo[:2]
	return Sizes{Thumb: j.Args.Key + "/thumb"}, nil
}

// Its tests.

func TestAMissingUploadIsFatal(t *testing.T) {
	r := &Resizer{Bucket: Bucket{}}
	ran := nightshifttest.RunResult(t, Resize, ResizePhoto{Key: "soup"}, r.Resize)
	if ran.State != lifecycle.Dead || !errors.Is(ran.Err, errMissing) {
		t.Errorf("the job is %s after %v", ran.State, ran.Err)
	}
}

func TestAnUploadIsResizedOnce(t *testing.T) {
	for seed := range uint64(5) {
		kit := nightshifttest.New(t, nightshifttest.Config{Seed: seed, Duplicates: true, Shuffle: true}, Resize)
		site := Site{Jobs: kit.Producer}
		r := &Resizer{Bucket: Bucket{"soup": "soup.jpeg"}, Away: true}
		kit.Serve(worker.HandleResult(Resize, r.Resize))

		id, err := site.Upload(t.Context(), "soup")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := site.Upload(t.Context(), "soup"); err != nil { // a second click
			t.Fatal(err)
		}
		nightshifttest.WantEnqueued(kit, Resize, ResizePhoto{Key: "soup"})

		kit.Drain(t.Context()) // the bucket is away
		kit.WantState(id, lifecycle.Queued)
		r.Away = false
		kit.RunAll(t.Context())
		if sizes := nightshifttest.Result[Sizes](kit, id); r.Bucket[sizes.Thumb] != "so" {
			t.Errorf("the bucket holds %v", r.Bucket)
		}
	}
}
