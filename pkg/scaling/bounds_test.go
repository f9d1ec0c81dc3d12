package scaling_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name        string
		change      func(*job.Queue)
		least, most int
	}{
		{"fixed", func(q *job.Queue) { q.MostWorkers = 0 }, 90, 90},
		{"some", func(q *job.Queue) { q.MostWorkers = 200 }, 90, 200},
		{"invocations of four", func(q *job.Queue) { q.Batch, q.Bound, q.MostWorkers = 10, 4, 203 }, 23, 50},
	} {
		b := bounds(t, c.change)
		if b.Least != c.least || b.Most != c.most || b.Fixed() != (c.least == c.most) {
			t.Errorf("%s: %d to %d", c.name, b.Least, b.Most)
		}
	}
}
