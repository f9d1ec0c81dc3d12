package photos_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
)

func TestUploads(t *testing.T) {
	const id = "0123456789abcdefghjkmnpqrs"
	for key, want := range map[string]photos.Upload{
		"uploads/everyone/" + id:           {Client: "everyone", ID: id},
		"uploads/a.b_c=-9/" + id:           {Client: "a.b_c=-9", ID: id},
		"uploads/everyone/short":           {},
		"uploads/" + id:                    {},
		"uploads//" + id:                   {},
		"uploads/../" + id:                 {},
		"uploads/everyone/..":              {},
		"uploads/everyone/" + id + "/more": {},
		"photos/everyone/" + id:            {},
		"uploads/everyone/" + id + "\n":    {},
		"":                                 {},
		"uploads/" + strings.Repeat("a", 65) + "/" + id: {},
	} {
		got, ok := photos.ParseUpload(key)
		if got != want || ok != (want.ID != "") || ok && got.Key() != key {
			t.Errorf("%q: %+v, %v", key, got, ok)
		}
	}
}

// No key leads out of the uploads, whatever it is.
func FuzzUpload(f *testing.F) {
	f.Add("uploads/everyone/0123456789abcdefghjkmnpqrs")
	f.Fuzz(func(t *testing.T, key string) {
		upload, ok := photos.ParseUpload(key)
		if !ok {
			return
		}
		if upload.Key() != key || strings.Count(key, "/") != 2 || strings.Contains(key, "..") && !strings.Contains(upload.Client, "..") {
			t.Errorf("%q is %+v", key, upload)
		}
	})
}

func TestBlockList(t *testing.T) {
	table := rowstest.New(t)
	one, two := photos.Hash{1}, photos.Hash{2}
	blocked := func(want bool) {
		t.Helper()
		if got, err := photos.IsBlocked(t.Context(), table, one); got != want || err != nil {
			t.Errorf("blocked: %v, %v", got, err)
		}
	}
	blocked(false)
	if err := photos.Block(t.Context(), table, two, "an advertisement"); err != nil {
		t.Fatal(err)
	}
	blocked(false)
	if err := photos.Block(t.Context(), table, one, ""); err == nil {
		t.Error("blocked without a reason")
	}
	for range 2 {
		if err := photos.Block(t.Context(), table, one, "an advertisement"); err != nil {
			t.Fatal(err)
		}
		blocked(true)
	}
	for range 2 {
		if err := photos.Unblock(t.Context(), table, one); err != nil {
			t.Fatal(err)
		}
		blocked(false)
	}
}
