package admission

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// relayed is a queue behind a relay, that runs or stands still, played second by second with
// a job at each.
type relayed struct {
	now     time.Time
	runs    bool
	lag     time.Duration
	asked   []time.Time // what is to be confirmed
	reading Reading
	err     error
	sent    int
	// phantom jobs are admitted and never written.
	phantom bool
}

func (r *relayed) gate(t *testing.T) *Gate {
	r.now = time.Unix(1_800_000_000, 0)
	return made(t, Config{
		Queue: "photos", Limit: 1000, DrainRate: 10, Inline: true,
		Look: func(context.Context) (Reading, error) { return r.reading, nil },
		Probe: func(context.Context) error {
			if r.err != nil {
				return r.err
			}
			r.sent++
			if !r.reading.Asked.After(r.reading.Relayed) {
				r.reading.Asked = r.now
			}
			r.reading.Probed = r.now
			r.asked = append(r.asked, r.now)
			return nil
		},
		Now: func() time.Time { return r.now },
	})
}

// second lets the relay work, and one job be asked for.
func (r *relayed) second(t *testing.T, g *Gate) Decision {
	t.Helper()
	r.now = r.now.Add(time.Second)
	var waiting []time.Time
	for _, at := range r.asked {
		switch {
		case !r.runs || r.now.Sub(at) < r.lag:
			waiting = append(waiting, at)
		case at.After(r.reading.Relayed):
			r.reading.Relayed = at
		}
	}
	r.asked = waiting
	d := g.Admit(t.Context())
	if job.Apply(d.Options()...).Probe == "gate" && !r.phantom {
		r.asked = append(r.asked, r.now)
	}
	return d
}

// untilShut lets seconds pass until the gate refuses, and counts them.
func (r *relayed) untilShut(t *testing.T, g *Gate) (seconds int) {
	t.Helper()
	for r.second(t, g).Admitted {
		if seconds++; seconds > 100 {
			t.Fatal("it does not close")
		}
	}
	return seconds
}

func TestARelayThatRunsIsProbedByJobsAlone(t *testing.T) {
	r := &relayed{runs: true}
	g := r.gate(t)
	asked := 0
	for range 60 {
		d := r.second(t, g)
		if !d.Admitted {
			t.Fatalf("%+v", d)
		}
		if d.probe {
			asked++
		}
	}
	if r.sent != 0 || asked < 10 || asked > 60/3 {
		t.Errorf("%d jobs were to be confirmed in a minute, and %d probes were sent", asked, r.sent)
	}
}

func TestARelayThatStandsStillClosesTheGateAndOpensItAgain(t *testing.T) {
	r := &relayed{runs: true}
	g := r.gate(t)
	for stop := range 12 { // at every phase of the probes
		for range stop + 5 {
			r.second(t, g)
		}
		r.runs = false
		seconds := r.untilShut(t, g)
		if d := r.second(t, g); d.Reason != Unrelayed || d.RetryAfter < time.Second || d.Form != Whole {
			t.Errorf("while it stands still: %+v", d)
		}
		if bound := int((DefaultWindow + 10*time.Second).Seconds()); seconds > bound {
			t.Errorf("it took %d s to notice, more than %d", seconds, bound)
		}
		sent := r.sent
		for range 60 {
			if d := r.second(t, g); d.Admitted {
				t.Fatalf("open in the dark: %+v", d)
			}
		}
		if more := r.sent - sent; more < 15 || more > 20 {
			t.Errorf("%d probes in a minute of darkness", more)
		}
		r.runs, seconds = true, 0
		for d := r.second(t, g); !d.Admitted; d = r.second(t, g) {
			if seconds++; seconds > 2 {
				t.Fatalf("it does not open again: %+v", d)
			}
		}
	}
}

// A process that has just begun learns it from the row that all share, and goes on
// probing: it may be the only one left.
func TestANewProcessKnowsAtOnce(t *testing.T) {
	r := &relayed{}
	old := r.gate(t)
	r.untilShut(t, old)
	now := r.now
	young := r.gate(t)
	r.now = now
	sent := r.sent
	for range 30 {
		if d := r.second(t, young); d.Reason != Unrelayed {
			t.Errorf("%+v", d)
		}
	}
	if r.sent < sent+9 {
		t.Errorf("it sent %d probes in half a minute", r.sent-sent)
	}
}

// A job that was admitted, and then never written, closes nothing.
func TestPhantomsCloseNothing(t *testing.T) {
	r := &relayed{runs: true, phantom: true}
	g := r.gate(t)
	for range 120 {
		if d := r.second(t, g); !d.Admitted {
			t.Fatalf("%+v", d)
		}
	}
	if r.sent < 10 || r.sent > 40 {
		t.Errorf("%d probes asked in two minutes whether the relay runs", r.sent)
	}
}

// A relay that is late by less than it may be is not one that stands still.
func TestALateRelayClosesNothing(t *testing.T) {
	r := &relayed{runs: true, lag: 2 * time.Second}
	g := r.gate(t)
	for range 120 {
		if d := r.second(t, g); !d.Admitted {
			t.Fatalf("%+v", d)
		}
	}
}

func TestAProbeThatCantBeSentIsTold(t *testing.T) {
	r := &relayed{phantom: true, err: errors.New("throttled")}
	g := r.gate(t)
	var told error
	for range 10 {
		d := r.second(t, g)
		if told = errors.Join(told, d.Err); !d.Admitted {
			t.Errorf("%+v", d)
		}
	}
	if !errors.Is(told, r.err) {
		t.Errorf("told: %v", told)
	}
}

func TestWithoutProbesNothingIsConfirmed(t *testing.T) {
	w := &world{}
	g := w.gate(t, 100, 1)
	for range 20 {
		w.now = w.now.Add(time.Second)
		if d := g.Admit(t.Context()); d.Options() != nil {
			t.Errorf("%+v", d)
		}
	}
}

// What waits for a relay that stands still counts, before that is certain: the queue itself
// seems to become empty. When the relay goes again, no more wait than is bearable, and the
// gate opens long before all is worked off.
func TestWhatWaitsForTheRelayCounts(t *testing.T) {
	const asked = 30
	for phase := range 3 { // of the probes
		b := behindRelay(t)
		b.pass(t, 60+phase, asked)
		b.runs = false
		// Jobs come in until the next one is to be confirmed, and until that is late.
		most, _ := b.pass(t, 40, asked)
		if bound := b.limit + (asked-b.drain)*int((DefaultProbeEvery+DefaultWindow+lateAfter).Seconds()); most > bound {
			t.Errorf("%d jobs wait, limit %d, want %d at most", most, b.limit, bound)
		}
		if _, admitted := b.pass(t, 20, asked); admitted != 0 {
			t.Fatalf("%d were admitted in the dark", admitted)
		}
		b.runs = true
		if _, admitted := b.pass(t, 20, asked); admitted < 5*b.drain {
			t.Errorf("%d were admitted in 20 s after the relay went again", admitted)
		}
	}
}

// behind is a queue behind a relay, with workers.
type behind struct {
	relayed
	g            *Gate
	drain, limit int // a second; jobs
	// queue and written are when the jobs came that are there, and that wait for the relay.
	queue, written []time.Time
}

func behindRelay(t *testing.T) *behind {
	b := &behind{drain: 10, limit: 150, relayed: relayed{runs: true}}
	like := b.gate(t).config
	b.g = made(t, Config{
		Queue: "photos", Limit: b.limit, DrainRate: job.Rate(b.drain), LongestWait: time.Duration(b.limit/b.drain) * time.Second,
		Inline: true, Look: like.Look, Probe: like.Probe, Now: like.Now,
	})
	return b
}

// pass lets seconds pass, and gives how many jobs waited at most and were admitted.
func (b *behind) pass(t *testing.T, seconds, asked int) (most, admitted int) {
	for range seconds {
		if b.runs {
			b.queue, b.written = append(b.queue, b.written...), nil
		}
		b.queue = b.queue[min(b.drain, len(b.queue)):]
		b.reading.Depth, b.reading.Oldest = len(b.queue), time.Time{}
		if len(b.queue) > 0 {
			b.reading.Oldest = b.queue[0]
		}
		for i := range asked {
			if i == 0 && b.second(t, b.g).Admitted || i > 0 && b.g.Admit(t.Context()).Admitted {
				b.written, admitted = append(b.written, b.now), admitted+1
			}
		}
		most = max(most, len(b.queue)+len(b.written))
	}
	return most, admitted
}
