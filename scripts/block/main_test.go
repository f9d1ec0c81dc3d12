package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

func TestFilesGoOnTheListAndOff(t *testing.T) {
	sample, err := samplephotos.Named("small.jpg")
	if err != nil {
		t.Fatal(err)
	}
	data, err := sample.Data()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "small.jpg")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	hashes, err := resizer.Hashes(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	table := rowstest.New(t)
	for _, reason := range []string{"an advertisement", ""} {
		var out strings.Builder
		if err := list(t.Context(), &out, table, reason, []string{file + ".missing", file}); err == nil || !strings.Contains(err.Error(), "missing") {
			t.Errorf("a missing file: %v", err)
		}
		for _, hash := range hashes {
			blocked, err := photos.IsBlocked(t.Context(), table, hash)
			if blocked != (reason != "") || err != nil || !strings.Contains(out.String(), hash.String()) {
				t.Errorf("with reason %q: %v, %v; told %s", reason, blocked, err, out.String())
			}
		}
	}
}
