package resizer_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Whoever waits sees sizes while others are being made; the last are told by the
// result.
func TestSizesAreToldAsTheyArrive(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "orientation-6.jpg")
	var told []int
	sizes, err := resizer.New(b, rowstest.New(t), nil).Make(t.Context(), uploads.Upload{Key: upload, Client: "everyone", ID: id}, func(s tasks.Sizes) error {
		for _, size := range s.Sizes {
			if !slices.Contains(b.keys(), size.Key) {
				t.Errorf("%s is told of before it is there", size.Key)
			}
		}
		told = append(told, len(s.Sizes))
		return nil
	})
	if err != nil || len(sizes.Sizes) != 4 {
		t.Fatal(sizes, err)
	}
	if len(told) == 0 || told[0] != 1 || !slices.IsSorted(told) || slices.Contains(told, 4) {
		t.Errorf("told of %v sizes", told)
	}
}

func TestWhoCannotBeToldEndsTheWork(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "small.jpg")
	gone := errors.New("the lease is lost")
	_, err := resizer.New(b, rowstest.New(t), nil).Make(t.Context(), uploads.Upload{Key: upload, Client: "everyone", ID: id}, func(tasks.Sizes) error { return gone })
	if !errors.Is(err, gone) {
		t.Error(err)
	}
}

// What was made is kept with the end of the job.
func TestWhatWasMadeIsKept(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "small.jpg")
	ran := run(t, b, upload, "")
	if ran.State != lifecycle.Done || len(ran.Committed) != 1 || ran.Committed[0].Table != rowstest.Name {
		t.Errorf("%s, committed %v", ran.State, ran.Committed)
	}
}

// A picture on the block list is refused by its bytes, and by its pixels where it
// says other things about itself.
func TestBlockedPictures(t *testing.T) {
	picture := sample(t, "orientation-3.jpg")
	hashes, err := resizer.Hashes(t.Context(), picture.data)
	if err != nil || len(hashes) != 2 {
		t.Fatal(hashes, err)
	}
	bytes, pixels := hashes[0], hashes[1]
	disguised := object{data: slices.Concat(picture.data[:2], []byte{0xff, 0xfe, 0, 4, 'h', 'i'}, picture.data[2:]), contentType: picture.contentType}
	for name, c := range map[string]struct {
		upload object
		on     photos.Hash
		passes bool
	}{
		"by its bytes":            {picture, bytes, false},
		"by its pixels":           {picture, pixels, false},
		"disguised, by its bytes": {disguised, bytes, true},
		"disguised, by pixels":    {disguised, pixels, false},
		"another":                 {sample(t, "small.jpg"), pixels, true},
	} {
		b := newBucket()
		b.objects[upload] = c.upload
		ran := run(t, b, upload, "", c.on)
		if c.passes != (ran.State == lifecycle.Done) {
			t.Errorf("%s: %s (%v)", name, ran.State, ran.Err)
		}
		if !c.passes && (ran.Code != "not_allowed" || ran.State != lifecycle.Dead || len(b.keys()) != 1) {
			t.Errorf("%s: %s with %q (%v); there are %v", name, ran.State, ran.Code, ran.Err, b.keys())
		} else if !c.passes {
			checkSentence(t, ran.Err.Error())
		}
	}
}

func TestHashesOfWhatIsNoPicture(t *testing.T) {
	if hashes, err := resizer.Hashes(t.Context(), []byte("soup")); len(hashes) != 1 || err != nil {
		t.Error(hashes, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := resizer.Hashes(ctx, sample(t, "small.jpg").data); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
