package resizer_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

// A later takes what is enqueued for later, or has no room for it.
type later struct {
	full  bool
	asked []job.Request
	as    []job.Options
}

func (l *later) Enqueue(_ context.Context, request job.Request, options ...job.Option) (job.ID, error) {
	l.asked, l.as = append(l.asked, request), append(l.as, job.Apply(options...))
	if l.full {
		return "", producer.ErrFull
	}
	return job.IDOf([16]byte{1}), nil
}

func names(sizes tasks.Sizes) (all []string) {
	for _, s := range sizes.Sizes {
		all = append(all, s.Name)
	}
	return all
}

// degraded runs the handler on a job that was accepted as degraded.
func degraded(t *testing.T, b *bucket, table *rows.Table, l *later) nightshifttest.Ran[tasks.Sizes] {
	t.Helper()
	return nightshifttest.RunResult(t, tasks.Resize, tasks.ResizePhoto{Key: upload}, resizer.New(b, table, l).Resize,
		nightshifttest.Given{Tables: rowstest.Tables(), Options: []job.Option{job.Degraded(), job.ByClient("everyone")}})
}

func TestADegradedPhotoIsCompletedLater(t *testing.T) {
	for _, name := range []string{"orientation-6.jpg", "cutout.png", "small.jpg"} {
		whole, b, table, l := newBucket(), newBucket(), rowstest.New(t), &later{}
		whole.objects[upload], b.objects[upload] = sample(t, name), sample(t, name)
		want := run(t, whole, upload, "").Result

		ran := degraded(t, b, table, l)
		if ran.Err != nil || ran.State != lifecycle.Done {
			t.Fatal(ran.State, ran.Err)
		}
		if got := names(ran.Result); !slices.Equal(got, []string{"small", "medium"}) || !ran.Result.More || len(b.keys()) != 3 {
			t.Errorf("%s: made %v, more to come %v, objects %v", name, got, ran.Result.More, b.keys())
		}
		if len(l.asked) != 1 || l.asked[0].Definition.Name != "photo.complete" || !l.as[0].Spilled || l.as[0].Unique == nil || l.as[0].Client != "everyone" {
			t.Fatalf("enqueued %+v as %+v", l.asked, l.as)
		}

		// The row as the degraded job left it.
		if err := table.Change().Put(photos.MadeKey(id), photos.Made(ran.Result), "", nil).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		completed := nightshifttest.RunResult(t, tasks.CompletePhoto, tasks.ResizePhoto{Key: upload}, resizer.New(b, table, l).Complete,
			nightshifttest.Given{Tables: rowstest.Tables()})
		if completed.Err != nil || !reflect.DeepEqual(completed.Result, want) {
			t.Errorf("%s: completed as %+v, %v\nwant %+v", name, completed.Result, completed.Err, want)
		}
		if !reflect.DeepEqual(b.objects, whole.objects) {
			t.Errorf("%s: the pictures are others than those that are made at once", name)
		}
	}
}

func TestADegradedPhotoIsMadeAtOnceWhereNothingIsTakenForLater(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "small.jpg")
	ran := degraded(t, b, rowstest.New(t), &later{full: true})
	if ran.Err != nil || ran.Result.More || len(ran.Result.Sizes) != 4 || len(b.keys()) != 5 {
		t.Errorf("%+v, %v, objects %v", ran.Result, ran.Err, b.keys())
	}
}

// What is to complete a photo may come before the degraded job has ended.
func TestACompletionThatIsEarlyMakesAll(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "small.jpg")
	ran := nightshifttest.RunResult(t, tasks.CompletePhoto, tasks.ResizePhoto{Key: upload}, resizer.New(b, rowstest.New(t), nil).Complete,
		nightshifttest.Given{Tables: rowstest.Tables()})
	if ran.Err != nil || ran.Result.More || len(ran.Result.Sizes) != 4 {
		t.Errorf("%+v, %v", ran.Result, ran.Err)
	}
}
