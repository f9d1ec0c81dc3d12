package periodic_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
)

func TestFiresTwice(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	p := w.scheduler(j)
	for range 3 {
		w.mustFire(p, j, "2026-11-23T08:00:00Z")
		w.now = w.now.Add(20 * time.Second)
	}
	w.want("2026-11-23T08:00")
	if !strings.Contains(w.log.String(), "dropped") {
		t.Error("nobody was told of the repeated event")
	}
	w.mustFire(p, j, "2026-11-30T08:00:00Z")
	w.want("2026-11-23T08:00", "2026-11-30T08:00")
}

func TestTwoSchedulersAtOnce(t *testing.T) {
	w := newWorld(t, "2026-11-23T08:05:00Z")
	jobs := map[string]periodic.Job{}
	for name, expression := range map[string]string{"cron": "cron(0 9 ? * MON *)", "rate": "rate(5 minutes)", "once": "at(2026-11-23T09:00:00)"} {
		j := newsletter()
		j.Name, j.Expression = name, expression
		jobs[name] = j
	}
	var all sync.WaitGroup
	for i := range 8 { // two at least of each, on one table
		for name, j := range jobs {
			fired := "2026-11-23T08:00:00Z"
			if name == "rate" && i%2 == 1 {
				fired = "2026-11-23T08:04:59Z" // out of step with the other
			}
			p := w.scheduler(j)
			all.Go(func() {
				if err := w.fire(p, j, fired); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	w.want("2026-11-23T08:00", "2026-11-23T08:00", "2026-11-23T08:00")
}

func TestCrashBetweenEnqueueAndMark(t *testing.T) {
	for _, retried := range []bool{true, false} {
		w := newWorld(t, "2026-11-23T07:00:00Z")
		j := newsletter()
		p := w.scheduler(j)
		w.check(p) // the mark is there
		w.failMarks = 1
		if err := w.fire(p, j, "2026-11-23T08:00:00Z"); !errors.Is(err, errTable) {
			t.Fatalf("the mark was written: %v", err)
		}
		w.want("2026-11-23T08:00")
		if retried {
			w.now = w.now.Add(time.Minute)
			w.mustFire(p, j, "2026-11-23T08:00:00Z")
		} else {
			w.now = w.now.Add(time.Hour)
			w.check(w.scheduler(j))
		}
		w.want("2026-11-23T08:00")
		w.mustFire(p, j, "2026-11-30T08:00:00Z")
		w.want("2026-11-23T08:00", "2026-11-30T08:00")
	}
}

func TestFailedEnqueueIsTriedAgain(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	p := w.scheduler(j)
	w.failJobs = 1
	if err := w.fire(p, j, "2026-11-23T08:00:00Z"); !errors.Is(err, errTable) {
		t.Fatal(err)
	}
	w.want()
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.want("2026-11-23T08:00")
}

// The occurrence's arguments are those of its first enqueueing, and a request that
// has become one of another task changes nothing.
func TestRequestChangedSince(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	p := w.scheduler(j)
	w.check(p)
	w.failMarks = 1
	if err := w.fire(p, j, "2026-11-23T08:00:00Z"); err == nil {
		t.Fatal("the mark was written")
	}
	j.Request = func(at time.Time) job.Request { return other.With(issue{Monday: at.AddDate(1, 0, 0)}) }
	w.mustFire(w.scheduler(j), j, "2026-11-23T08:00:00Z")
	w.want("2026-11-23T08:00")
}

func TestIDsCantBeGuessed(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		w := newWorld(t, "2026-11-23T07:00:00Z")
		j := newsletter()
		w.mustFire(w.scheduler(j), j, "2026-11-23T08:00:00Z")
		at := strings.Index(w.log.String(), " job=")
		ids[w.log.String()[at:at+31]] = true
	}
	if len(ids) != 2 {
		t.Errorf("two tables made the same id: %v", ids)
	}
}

func TestClocksChange(t *testing.T) {
	for _, fired := range [][]string{
		{"2026-03-23T08:00:00Z", "2026-03-30T07:00:00Z", "2026-04-06T07:00:00Z"}, // forward on 29 March
		{"2026-10-19T07:00:00Z", "2026-10-26T08:00:00Z"},                         // back on 25 October
	} {
		w := newWorld(t, "2026-03-01T00:00:00Z")
		j := newsletter()
		j.CatchUp = periodic.All
		p := w.scheduler(j)
		for _, when := range fired {
			w.mustFire(p, j, when)
			w.now = w.now.Add(time.Hour)
			w.check(p)
		}
		var want []string
		for _, when := range fired {
			want = append(want, when[:16])
		}
		w.want(want...)
	}
}

func TestOverlapIsLeftOut(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	j.Options = []job.Option{job.Unique("newsletter")}
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.mustFire(p, j, "2026-11-30T08:00:00Z") // the first has not run yet
	w.want("2026-11-23T08:00")
	if !strings.Contains(w.log.String(), "left out") {
		t.Error(w.log.String())
	}
}
