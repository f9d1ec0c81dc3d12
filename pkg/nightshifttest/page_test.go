package nightshifttest_test

import (
	"os"
	"strings"
	"testing"
)

// The page shows a test that runs: that of photo_test.go, from its first comment on.
func TestThePageShowsATestThatRuns(t *testing.T) {
	page, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("photo_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, shown, ok := strings.Cut(string(source), "// The application:")
	if !ok || !strings.Contains(string(page), "// The application:"+strings.TrimRight(shown, "\n")) {
		t.Error("docs/testing.md does not show photo_test.go as it is: copy it there")
	}
}
