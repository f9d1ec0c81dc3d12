package main

import (
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// followsOf tells whose end made a job.
func followsOf(f *job.Follows) string {
	switch {
	case f == nil:
		return ""
	case f.Batch != "":
		return fmt.Sprintf("batch %s: see nightshift batches show", f.Batch)
	}
	return fmt.Sprintf("job %s, which ended as %s", f.Job, f.State)
}

// thenOf tells what a job's end will bring about.
func thenOf(rec store.Record) string {
	followUps, err := rec.Follow.FollowUps()
	if err != nil {
		return err.Error()
	}
	var parts []string
	for _, u := range followUps {
		when := "when done"
		if u.Always {
			when = "when ended"
		}
		parts = append(parts, u.Task+" "+when)
	}
	if rec.Follow != nil && rec.Follow.Member != nil {
		parts = append(parts, "counted by batch "+rec.Follow.Member.Batch)
	}
	return strings.Join(parts, ", ")
}
