package resizer_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"reflect"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

const (
	id     = "0123456789abcdefghjkmnpqrs"
	upload = "uploads/everyone/" + id
)

// run runs the handler on what is in the bucket, with these contents blocked.
func run(t *testing.T, b *bucket, key, client string, blocked ...photos.Hash) nightshifttest.Ran[tasks.Sizes] {
	t.Helper()
	table := rowstest.New(t)
	for _, hash := range blocked {
		if err := table.Change().Put(photos.BlockedKey(hash), photos.Blocked{Reason: "a test"}, "", nil).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	given := nightshifttest.Given{Tables: rowstest.Tables()}
	if client != "" {
		given.Options = []job.Option{job.ByClient(client)}
	}
	return nightshifttest.RunResult(t, tasks.Resize, tasks.ResizePhoto{Key: key}, resizer.New(b, table, nil).Resize, given)
}

func sample(t *testing.T, name string) object {
	t.Helper()
	s, err := samplephotos.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return object{data: data, contentType: s.ContentType()}
}

func TestResize(t *testing.T) {
	for _, tc := range []struct {
		name, ext, contentType string
		edges                  [4][2]int
	}{
		{"orientation-6.jpg", "jpg", "image/jpeg", [4][2]int{{120, 160}, {360, 480}, {600, 800}, {600, 800}}},
		{"cutout.png", "png", "image/png", [4][2]int{{160, 160}, {480, 480}, {700, 700}, {700, 700}}},
		{"small.jpg", "jpg", "image/jpeg", [4][2]int{{120, 90}, {120, 90}, {120, 90}, {120, 90}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBucket()
			b.objects[upload] = sample(t, tc.name)
			ran := run(t, b, upload, "")
			if ran.Err != nil || ran.State != lifecycle.Done {
				t.Fatal(ran.State, ran.Err)
			}
			sizes := ran.Result
			if len(sizes.Sizes) != 4 || len(b.keys()) != 5 {
				t.Fatalf("%d sizes, objects %v; want four and the upload", len(sizes.Sizes), b.keys())
			}
			for i, name := range []string{"thumb", "small", "medium", "large"} {
				got := sizes.Sizes[i]
				put := b.objects[got.Key]
				want := tasks.Size{
					Name: name, Key: "photos/" + id + "/" + name + "." + tc.ext, URL: "/photos/" + id + "/" + name + "." + tc.ext,
					Width: tc.edges[i][0], Height: tc.edges[i][1], Bytes: len(put.data),
				}
				if got != want {
					t.Errorf("size %d is %+v, want %+v", i, got, want)
				}
				if put.contentType != tc.contentType || put.cacheControl != "public, max-age=31536000, immutable" {
					t.Errorf("%s was put as %q, %q", got.Key, put.contentType, put.cacheControl)
				}
				config, _, err := image.DecodeConfig(bytes.NewReader(put.data))
				if err != nil || config.Width != want.Width || config.Height != want.Height {
					t.Errorf("%s holds %d × %d pixels (%v)", got.Key, config.Width, config.Height, err)
				}
			}
		})
	}
}

func TestResizeAgainWritesTheSame(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "orientation-3.jpg")
	first := run(t, b, upload, "").Result
	before := map[string]object{}
	for _, key := range b.keys() {
		before[key] = b.objects[key]
	}
	second := run(t, b, upload, "").Result
	if !reflect.DeepEqual(first, second) || !reflect.DeepEqual(before, b.objects) {
		t.Error("the second run left something else than the first")
	}
}

func TestResizeFailsForGood(t *testing.T) {
	type setup struct {
		key, client string
		object      *object
		code        string
	}
	cases := map[string]setup{
		"missing":        {key: upload, code: "upload_missing"},
		"too large":      {key: upload, object: &object{data: make([]byte, resizer.MaxBytes+1)}, code: "upload_too_large"},
		"another's":      {key: upload, client: "somebody", object: &object{}, code: "not_your_upload"},
		"result":         {key: "photos/everyone/" + id, code: "bad_key"},
		"no client":      {key: "uploads/" + id, code: "bad_key"},
		"deeper":         {key: upload + "/more", code: "bad_key"},
		"dots":           {key: "uploads/../" + id, code: "bad_key"},
		"dots as the id": {key: "uploads/everyone/..", code: "bad_key"},
		"line feed":      {key: upload + "\n", code: "bad_key"},
	}
	for _, s := range samplephotos.All() {
		if s.Want != "" {
			o := sample(t, s.Name)
			cases[s.Name] = setup{key: upload, object: &o, code: s.Want}
		}
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			b := newBucket()
			if tc.object != nil {
				b.objects[upload] = *tc.object
			}
			before := len(b.objects)
			ran := run(t, b, tc.key, tc.client)
			err := ran.Err
			var fail *job.FailError
			if !errors.As(err, &fail) {
				t.Fatalf("error %v: want one that is not tried again", err)
			}
			if ran.State != lifecycle.Dead || ran.Code != tc.code || len(ran.Committed) != 0 {
				t.Errorf("%s with code %q, want %q", ran.State, ran.Code, tc.code)
			}
			checkSentence(t, err.Error())
			if len(b.objects) != before {
				t.Errorf("objects %v were left behind", b.keys())
			}
		})
	}
}

// checkSentence: the person who uploaded the photo reads it.
func checkSentence(t *testing.T, text string) {
	t.Helper()
	if text == "" || text[0] < 'A' || text[0] > 'Z' || !strings.HasSuffix(text, ".") || strings.Contains(text, "photo:") {
		t.Errorf("%q is no sentence", text)
	}
}

func TestOwnUploadIsResized(t *testing.T) {
	b := newBucket()
	b.objects["uploads/somebody/"+id] = sample(t, "small.jpg")
	if ran := run(t, b, "uploads/somebody/"+id, "somebody"); ran.Err != nil {
		t.Error(ran.Err)
	}
}

func TestResizeFailsForNow(t *testing.T) {
	unavailable := errors.New("503 SlowDown")
	for name, breakIt := range map[string]func(*bucket){
		"get":      func(b *bucket) { b.getErr = unavailable },
		"one put":  func(b *bucket) { b.putErr["photos/"+id+"/medium.jpg"] = unavailable },
		"last put": func(b *bucket) { b.putErr["photos/"+id+"/large.jpg"] = unavailable },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBucket()
			b.objects[upload] = sample(t, "small.jpg")
			breakIt(b)
			ran := run(t, b, upload, "")
			if !errors.Is(ran.Err, unavailable) || ran.State != lifecycle.Queued || len(ran.Committed) != 0 {
				t.Errorf("%s with error %v: want the bucket's, to be tried again", ran.State, ran.Err)
			}
		})
	}
}

func TestResizeStopsWithItsContext(t *testing.T) {
	b := newBucket()
	b.objects[upload] = sample(t, "small.jpg")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := resizer.New(b, rowstest.New(t), nil).Make(ctx, uploads.Upload{Key: upload, Client: "everyone", ID: id}, nil)
	var fail *job.FailError
	if !errors.Is(err, context.Canceled) || errors.As(err, &fail) {
		t.Errorf("error %v: want the context's, to be tried again", err)
	}
}
