package main

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// Everything outlives what leads to it: a message on its way, the letter that tells
// of its job, and the job's row in the end. A message that SQS moves keeps its age.
func TestWhatIsKeptForHowLong(t *testing.T) {
	queues := ofType(t, "AWS::SQS::Queue")
	kept := func(id string) time.Duration {
		t.Helper()
		seconds, ok := queues[id]["MessageRetentionPeriod"].(float64)
		if !ok {
			t.Fatalf("%s says not how long it keeps messages: %v", id, queues[id])
		}
		return time.Duration(seconds) * time.Second
	}
	order := []struct {
		what string
		kept time.Duration
	}{
		{"a message of a job", kept("PhotosQueue")},
		{"what came to the backstop", kept("BackstopQueue")},
		{"a letter", kept("PhotosDeadLetterQueue")},
		{"a done or cancelled job", lifecycle.DoneRetention},
		{"a dead job", lifecycle.DeadRetention},
	}
	for i := 1; i < len(order); i++ {
		if before, after := order[i-1], order[i]; before.kept >= after.kept {
			t.Errorf("%s is kept for %v, %s for %v", before.what, before.kept, after.what, after.kept)
		}
	}
	if letter := kept("PhotosDeadLetterQueue"); letter > lifecycle.QueueRetention || letter != kept("BackstopDeadLetterQueue") {
		t.Errorf("letters are kept for %v and %v; rows reckon with %v", letter, kept("BackstopDeadLetterQueue"), lifecycle.QueueRetention)
	}
	// The letter is written after its job died, and may be put off: its row must be
	// there as long as it is, and for as long again.
	if lifecycle.DeadRetention < 2*kept("PhotosDeadLetterQueue") {
		t.Errorf("dead jobs are kept for %v, letters for %v", lifecycle.DeadRetention, kept("PhotosDeadLetterQueue"))
	}
}

// An archive's age begins with its upload, its link's when the archive is complete.
func TestArchivesOutliveTheirLinks(t *testing.T) {
	bucket := ofType(t, "AWS::S3::Bucket")["ObjectsBucket"]["LifecycleConfiguration"].(map[string]any)
	kept := time.Duration(0)
	for _, rule := range list(bucket["Rules"]) {
		if r := rule.(map[string]any); r["Prefix"] == exportsPrefix {
			kept = time.Duration(r["ExpirationInDays"].(float64)) * 24 * time.Hour
		}
	}
	if kept < exports.Life+24*time.Hour {
		t.Errorf("archives are kept for %v, links work for %v", kept, exports.Life)
	}
}
