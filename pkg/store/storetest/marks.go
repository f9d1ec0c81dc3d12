package storetest

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func runMarks(t *testing.T, construct Constructor) {
	t.Run("MovedOnce", func(t *testing.T) { movedOnce(setup(t, construct)) })
	t.Run("ByPrefix", func(t *testing.T) { byPrefix(setup(t, construct)) })
}

// movedOnce: of two who move a mark from the same value, the first does.
func movedOnce(f fixture) {
	f.must(f.jobs.SetMark(f.Context(), "scan", "", "1"))
	f.mustNot(f.jobs.SetMark(f.Context(), "scan", "", "1"))
	f.must(f.jobs.SetMark(f.Context(), "scan", "1", "2"))
	f.mustNot(f.jobs.SetMark(f.Context(), "scan", "1", "3"))
	if mark, err := f.jobs.Mark(f.Context(), "scan"); mark != "2" || err != nil {
		f.Errorf("the mark is %q, %v", mark, err)
	}
}

// byPrefix: marks of one kind are found by how their names begin, however many.
func byPrefix(f fixture) {
	want := map[string]string{}
	for i := range 60 { // more than a page of the memory driver
		name := fmt.Sprintf("periodic#%02d", i)
		want[name] = strings.Repeat("x", i+1)
		f.must(f.jobs.SetMark(f.Context(), name, "", want[name]))
	}
	for _, other := range []string{"periodic", "periodix", "perio", "scan"} {
		f.must(f.jobs.SetMark(f.Context(), other, "", "y"))
	}
	f.enqueue()
	if got, err := f.jobs.Marks(f.Context(), "periodic#"); err != nil || !maps.Equal(got, want) {
		f.Errorf("found %d marks of %d: %v, %v", len(got), len(want), got, err)
	}
	if got, err := f.jobs.Marks(f.Context(), "none#"); err != nil || len(got) != 0 {
		f.Errorf("found %v, %v", got, err)
	}
}
