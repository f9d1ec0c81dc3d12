package scaling_test

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/scaling"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name        string
		change      func(*job.Queue)
		least, most int
		refused     string
	}{
		{"fixed", func(q *job.Queue) { q.MostWorkers = 0 }, 90, 90, ""},
		{"some", func(q *job.Queue) { q.MostWorkers = 200 }, 90, 200, ""},
		{"invocations of four", func(q *job.Queue) { q.Batch, q.Bound, q.MostWorkers = 10, 4, 203 }, 23, 50, ""},
		{"what Lambda allows", func(q *job.Queue) { q.MostWorkers = 5000 }, 90, 1000, ""},
		{"less than the plan", func(q *job.Queue) { q.MostWorkers = 80 }, 0, 0, "the peak needs 90"},
		{"processes", func(q *job.Queue) { q.Polled, q.ServiceTime = true, 20*time.Second; q.MostWorkers = 1000 }, 0, 0, "processes poll it"},
	} {
		q := job.Queue{Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}
		c.change(&q)
		plan, err := sizingFor(q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := scaling.For(plan)
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v", c.name, err)
			}
			continue
		}
		if err != nil || b.Least != c.least || b.Most != c.most {
			t.Errorf("%s: %d to %d, %v; want %d to %d", c.name, b.Least, b.Most, err, c.least, c.most)
		}
	}
}
