package job

import (
	"regexp"
	"strings"
	"testing"
)

// The patterns that the checks stand for.
var (
	queuePattern = regexp.MustCompile(`\A[a-z][a-z0-9-]{0,39}\z`)
	taskPattern  = regexp.MustCompile(`\A[a-z][a-z0-9_-]*(\.[a-z][a-z0-9_-]*)*\z`)
)

func FuzzNames(f *testing.F) {
	for _, name := range []string{"", "photos", "photo.resize", "a-b", "a_b", "1a", "A", "a..b", ".a", "a.", "a\n", "é", strings.Repeat("a", 40), strings.Repeat("a", 41), strings.Repeat("a.", 40) + "a"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if got, want := isQueueName(name), queuePattern.MatchString(name); got != want {
			t.Errorf("isQueueName(%q) = %v", name, got)
		}
		if got, want := isTaskName(name), taskPattern.MatchString(name) && len(name) <= 80; got != want {
			t.Errorf("isTaskName(%q) = %v", name, got)
		}
	})
}
