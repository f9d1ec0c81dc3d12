package periodic_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

// A Monday that nobody fired, found by the check and by the next event.
func TestMissedMonday(t *testing.T) {
	for _, c := range []struct {
		policy       periodic.CatchUp
		check, event []string
	}{
		{periodic.Skip, []string{"2026-11-16T08:00"}, []string{"2026-11-16T08:00", "2026-12-07T08:00"}},
		{periodic.Latest, []string{"2026-11-16T08:00", "2026-11-30T08:00"}, []string{"2026-11-16T08:00", "2026-11-30T08:00", "2026-12-07T08:00"}},
		{periodic.All, []string{"2026-11-16T08:00", "2026-11-23T08:00", "2026-11-30T08:00"}, []string{"2026-11-16T08:00", "2026-11-23T08:00", "2026-11-30T08:00", "2026-12-07T08:00"}},
	} {
		for _, checked := range []bool{true, false} {
			w := newWorld(t, "2026-11-16T07:00:00Z")
			j := newsletter()
			j.CatchUp = c.policy
			w.mustFire(w.scheduler(j), j, "2026-11-16T08:00:00Z")
			p := w.scheduler(j)
			if checked {
				w.now = at(t, "2026-11-30T08:11:00Z")
				for range 2 {
					w.check(p)
				}
				w.want(c.check...)
				w.mustFire(p, j, "2026-12-07T08:00:00Z")
				w.want(c.event...)
				continue
			}
			w.now = at(t, "2026-12-06T12:00:00Z")
			w.mustFire(p, j, "2026-12-07T08:00:00Z")
			want := c.event
			if c.policy == periodic.All { // the 23rd is older than 14 days by now
				want = []string{"2026-11-16T08:00", "2026-11-30T08:00", "2026-12-07T08:00"}
			}
			w.want(want...)
		}
	}
}

func TestCheckLeavesEventsTime(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	p := w.scheduler(j)
	w.check(p) // deployed
	w.now = at(t, "2026-11-23T08:10:00Z")
	w.check(p) // its event may still come
	w.want()
	w.now = at(t, "2026-11-23T08:10:01Z")
	w.check(p)
	w.want("2026-11-23T08:00")
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.want("2026-11-23T08:00")
}

// Three hours without a tick, then normal ticks again.
func TestThreeHoursOff(t *testing.T) {
	for _, c := range []struct {
		policy periodic.CatchUp
		most   int
		late   int
	}{{periodic.Skip, 0, 0}, {periodic.Latest, 0, 1}, {periodic.All, 10, 10}, {periodic.All, 0, 100}} {
		w := newWorld(t, "2026-11-23T08:00:00Z")
		j := newsletter()
		j.Expression, j.CatchUp, j.Most = "rate(1 minute)", c.policy, c.most
		p := w.scheduler(j)
		w.mustFire(p, j, "2026-11-23T08:00:20Z")
		w.now = at(t, "2026-11-23T11:00:30Z")
		w.mustFire(p, j, "2026-11-23T11:00:20Z")
		if got := len(w.enqueued()); got != 2+c.late {
			t.Errorf("policy %d: %d jobs, want %d late ones", c.policy, got, c.late)
		}
		if c.policy == periodic.All && c.most == 10 && w.enqueued()[1] != "2026-11-23T10:50" {
			t.Errorf("the bound leaves not the latest: %v", w.enqueued())
		}
		if c.late < 179 && !strings.Contains(w.log.String(), "given up") {
			t.Errorf("policy %d: nobody was told what was given up", c.policy)
		}
		for _, tick := range []string{"2026-11-23T11:01:20Z", "2026-11-23T11:02:20Z"} {
			w.mustFire(p, j, tick)
		}
		if got := len(w.enqueued()); got != 4+c.late {
			t.Errorf("policy %d: %d jobs after two more ticks", c.policy, got)
		}
	}
}

// The event of a rate may come late in its period: the check leaves it time.
func TestCheckWaitsForARatesEvent(t *testing.T) {
	w := newWorld(t, "2026-11-23T15:00:00Z")
	j := newsletter()
	j.Expression, j.Zone = "rate(1 day)", ""
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-23T15:00:00Z")
	for _, now := range []string{"2026-11-24T00:11:00Z", "2026-11-24T14:59:00Z"} {
		w.now = at(t, now)
		w.check(p)
	}
	w.want("2026-11-23T00:00")
	w.mustFire(p, j, "2026-11-24T15:00:00Z")
	w.now = at(t, "2026-11-26T00:11:00Z") // the 25th had no event
	w.check(p)
	w.want("2026-11-23T00:00", "2026-11-24T00:00", "2026-11-25T00:00")
}

func TestRateLongerThanWithin(t *testing.T) {
	w := newWorld(t, "2026-11-23T15:00:00Z")
	j := newsletter()
	j.Expression = "rate(300 days)"
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-23T15:00:00Z")
	w.mustFire(p, j, "2027-09-19T15:00:00Z")
	if got := w.enqueued(); len(got) != 2 {
		t.Error(got)
	}
}

func TestDeployedWithAnotherExpression(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	monday := newsletter()
	monday.CatchUp = periodic.All
	w.mustFire(w.scheduler(monday), monday, "2026-11-23T08:00:00Z")

	tuesday := monday
	tuesday.Expression = "cron(0 10 ? * TUE *)"
	p := w.scheduler(tuesday)
	w.now = at(t, "2026-11-30T08:00:30Z")
	w.check(p) // it holds from now on; Tuesday the 24th was never meant
	w.want("2026-11-23T08:00")
	// The last event of the earlier expression, tried again after the deployment.
	w.mustFire(p, tuesday, "2026-11-30T08:00:00Z")
	w.want("2026-11-23T08:00", "2026-11-30T08:00")
	w.now = at(t, "2026-12-01T12:00:00Z") // the first Tuesday is missed
	w.check(p)
	w.want("2026-11-23T08:00", "2026-11-30T08:00", "2026-12-01T09:00")
	w.mustFire(p, tuesday, "2026-12-08T09:00:00Z")
	w.want("2026-11-23T08:00", "2026-11-30T08:00", "2026-12-01T09:00", "2026-12-08T09:00")
}

func TestDeployedWithoutCheck(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	j.CatchUp = periodic.All
	w.mustFire(w.scheduler(j), j, "2026-11-23T08:00:00Z")
	j.Zone = "America/New_York"
	w.mustFire(w.scheduler(j), j, "2026-11-30T14:00:00Z")
	w.want("2026-11-23T08:00", "2026-11-30T14:00")
}

func TestEventsOutOfTime(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	p := w.scheduler(j)
	if err := p.Occur(t.Context(), "newsletter", w.now.Add(time.Hour)); err == nil || !strings.Contains(err.Error(), "has not come") {
		t.Errorf("an event of the future: %v", err)
	}
	w.now = at(t, "2026-12-14T09:00:00Z")
	w.mustFire(p, j, "2026-11-23T08:00:00Z") // redriven from a dead-letter queue, three weeks later
	w.want()
	if !strings.Contains(w.log.String(), "too old") {
		t.Error("nobody was told of the old event")
	}
}

// A request that can never be enqueued does not hold up those after it.
func TestPoisonedOccurrence(t *testing.T) {
	w := newWorld(t, "2026-11-23T07:00:00Z")
	j := newsletter()
	j.Request = func(at time.Time) job.Request {
		if at.Day() == 30 {
			return job.Request{Definition: send.Definition(), Arguments: "not an issue"}
		}
		return send.With(issue{at})
	}
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	if err := w.fire(p, j, "2026-11-30T08:00:00Z"); !errors.Is(err, producer.ErrArguments) {
		t.Errorf("the event of a request that is refused: %v", err)
	}
	w.mustFire(p, j, "2026-12-07T08:00:00Z")
	w.want("2026-11-23T08:00", "2026-12-07T08:00")
	if !strings.Contains(w.log.String(), "can't be enqueued") {
		t.Error("nobody was told")
	}
}

// A pause is no reason to catch anything up.
func TestPause(t *testing.T) {
	w := newWorld(t, "2026-11-16T07:00:00Z")
	j := newsletter()
	j.CatchUp = periodic.All
	p := w.scheduler(j)
	w.mustFire(p, j, "2026-11-16T08:00:00Z")
	if err := p.Pause(t.Context(), "newsletter"); err != nil {
		t.Fatal(err)
	}
	w.mustFire(p, j, "2026-11-23T08:00:00Z")
	w.now = at(t, "2026-11-30T09:00:00Z") // that event did not come at all
	w.check(p)
	if listed, err := p.List(t.Context()); err != nil || !listed[0].Paused || !listed[0].Next.IsZero() {
		t.Errorf("%+v, %v", listed, err)
	}
	if err := p.Resume(t.Context(), "newsletter"); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	w.check(p)
	w.want("2026-11-16T08:00")
	listed, err := p.List(t.Context())
	if err != nil || len(listed) != 1 || listed[0].Paused || !listed[0].Next.Equal(at(t, "2026-12-07T08:00:00Z")) || !listed[0].Last.Equal(at(t, "2026-11-23T08:00:00Z")) {
		t.Errorf("%+v, %v", listed, err)
	}
	w.mustFire(p, j, "2026-12-07T08:00:00Z")
	w.want("2026-11-16T08:00", "2026-12-07T08:00")
}

func TestRunNow(t *testing.T) {
	w := newWorld(t, "2026-11-16T07:00:00Z")
	p := w.scheduler(newsletter())
	var ids []job.ID
	for range 2 {
		id, err := p.RunNow(t.Context(), "newsletter")
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if ids[0] == ids[1] {
		t.Error("the second run is the first one")
	}
	w.want("2026-11-16T07:00", "2026-11-16T07:00")
	if slices.Contains(ids, "") {
		t.Error(ids)
	}
}
