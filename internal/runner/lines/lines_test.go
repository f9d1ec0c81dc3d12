package lines_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/runner/lines"
)

func TestWriter(t *testing.T) {
	var got []string
	w := lines.NewWriter(func(line string) { got = append(got, line) })
	for _, piece := range []string{"on", "e\ntwo\r\n", "", "\n", strings.Repeat("x", lines.Longest+1), "\nend"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}
	w.Flush()
	w.Flush()
	want := []string{"one", "two", "", strings.Repeat("x", lines.Longest), "x", "end"}
	if !slices.Equal(got, want) {
		t.Errorf("%.80q", got)
	}
}
