package admission

import (
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// step is a moment of a queue and what becomes of a job then.
type step struct {
	depth int
	age   time.Duration
	want  Form
	why   Reason
}

func (w *world) steps(t *testing.T, c Config, policy job.Policy, steps ...step) {
	t.Helper()
	c.Doubt = -1
	g := made(t, c)
	for i, s := range steps {
		w.now, w.depth, w.oldest = w.now.Add(10*time.Second), s.depth, time.Time{}
		if s.age > 0 {
			w.oldest = w.now.Add(-s.age)
		}
		d := g.AdmitFor(t.Context(), policy)
		if d.Form != s.want || d.Reason != s.why || d.Admitted != (s.why == None) || d.Age != s.age {
			t.Errorf("step %d, %+v: %+v", i, s, d)
		}
	}
}

func TestForms(t *testing.T) {
	w := &world{now: time.Unix(1_800_000_000, 0)}
	of := func(full job.Full) Config {
		c := w.config(100, 10)
		c.Full, c.LongestWait = full, 100*time.Second
		return c
	}
	urgent, newsletters := job.Policy{}, job.Policy{ShedAt: 0.2}
	for name, c := range map[string]struct {
		full   job.Full
		policy job.Policy
		steps  []step
	}{
		"refuse": {job.Refuse, urgent, []step{{99, 0, Whole, None}, {100, 0, Whole, Full}, {96, 0, Whole, Full}, {95, 0, Whole, None}}},
		"refuse by age": {job.Refuse, urgent, []step{
			{1, 99 * time.Second, Whole, None}, {1, 100 * time.Second, Whole, Full}, {1, 96 * time.Second, Whole, Full}, {1, 95 * time.Second, Whole, None},
		}},
		"both have to fall": {job.Refuse, urgent, []step{
			{100, 100 * time.Second, Whole, Full}, {1, 100 * time.Second, Whole, Full}, {100, 0, Whole, Full}, {95, 95 * time.Second, Whole, None},
		}},
		"degrade, with hysteresis": {job.Degrade, urgent, []step{
			{49, 0, Whole, None}, {50, 0, Degraded, None}, {49, 0, Degraded, None}, {48, 0, Whole, None}, {99, 0, Degraded, None},
			{100, 0, Whole, Full}, {96, 0, Whole, Full}, {95, 0, Degraded, None}, {0, 0, Whole, None},
		}},
		"degrade by age": {job.Degrade, urgent, []step{{1, 50 * time.Second, Degraded, None}, {1, 48 * time.Second, Degraded, None}, {1, 47 * time.Second, Whole, None}}},
		"spill":          {job.Spill, urgent, []step{{99, 0, Whole, None}, {100, 0, Spilled, None}, {96, 0, Spilled, None}, {95, 0, Whole, None}}},
		"replace":        {job.Replace, urgent, []step{{99, 0, Whole, None}, {100, 0, Replacing, None}, {95, 0, Whole, None}}},
		"shed": {job.Refuse, newsletters, []step{
			{19, 0, Whole, None}, {20, 0, Whole, Shed}, {19, 0, Whole, None}, {100, 0, Whole, Full}, {96, 0, Whole, Full}, {95, 0, Whole, Shed},
			{0, 0, Whole, None},
		}},
		"shed by age":        {job.Refuse, newsletters, []step{{0, 20 * time.Second, Whole, Shed}, {0, 0, Whole, None}}},
		"shed to the table":  {job.Spill, newsletters, []step{{20, 0, Spilled, None}, {19, 0, Whole, None}}},
		"shed, not degraded": {job.Degrade, newsletters, []step{{19, 0, Whole, None}, {50, 0, Whole, Shed}}},
	} {
		t.Run(name, func(t *testing.T) { w.steps(t, of(c.full), c.policy, c.steps...) })
	}
}

func TestClassesDoNotMind(t *testing.T) {
	w := &world{depth: 50}
	g := w.gate(t, 100, 1)
	if d := g.AdmitFor(t.Context(), job.Policy{ShedAt: 0.5}); d.Admitted {
		t.Errorf("half full, to who is shed at half: %+v", d)
	}
	if d := g.AdmitFor(t.Context(), job.Policy{ShedAt: 1}); !d.Admitted {
		t.Errorf("half full, to others: %+v", d)
	}
	if d := g.Admit(t.Context()); !d.Admitted || d.Depth != 51 {
		t.Errorf("one was counted: %+v", d)
	}
}

// What goes to the table, or takes another's place, takes none in the queue.
func TestOnlyWhatEntersTheQueueIsCounted(t *testing.T) {
	for _, full := range []job.Full{job.Spill, job.Replace} {
		w := &world{depth: 100, now: time.Unix(1_800_000_000, 0)}
		c := w.config(100, 1)
		c.Full = full
		g := made(t, c)
		for range 5 {
			if d := g.Admit(t.Context()); !d.Admitted || d.Depth != 100 {
				t.Errorf("%s: %+v", full, d)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	for form, want := range map[Form]job.Options{
		Whole: {}, Degraded: {Degraded: true}, Spilled: {Spilled: true}, Replacing: {OnlyReplacing: true},
	} {
		d := Decision{Admitted: true, Form: form, RetryAfter: time.Minute}
		got := job.Apply(d.Options()...)
		if got.Degraded != want.Degraded || got.Spilled != want.Spilled || got.OnlyReplacing != want.OnlyReplacing || got.Probe != "" {
			t.Errorf("%q: %+v", form, got)
		}
		if r := d.Refused(); r.Admitted || r.Reason != Full || r.Options() != nil || r.RetryAfter != time.Minute {
			t.Errorf("%q, where the producer has no room: %+v", form, r)
		}
	}
	if d := (Decision{Admitted: true}); d.Options() != nil {
		t.Errorf("most decisions ask for nothing: %v", d.Options())
	}
}

// A queue's declaration is all that a gate needs to be told, besides how to look.
func TestForTakesThePlan(t *testing.T) {
	plan, err := sizing.For(job.Queue{
		Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute, Full: job.Degrade,
	}, 50*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if c := For(plan); c.Queue != "photos" || c.Limit != 18_000 || c.DrainRate != 30 || c.LongestWait != 10*time.Minute || c.Full != job.Degrade {
		t.Errorf("%+v", c)
	}
}

// The smallest limits have no half: who has room for one job has it whole.
func TestTheSmallestLimitsDegrade(t *testing.T) {
	for limit := 1; limit <= 3; limit++ {
		w := &world{now: time.Unix(1_800_000_000, 0)}
		c := w.config(limit, 1)
		c.Full = job.Degrade
		g := made(t, c)
		for _, policy := range []job.Policy{{}, {ShedAt: 0.5}} {
			if d := g.AdmitFor(t.Context(), policy); d.Admitted && d.Form == Degraded && d.Depth == 0 {
				t.Errorf("limit %d, nothing waits: %+v", limit, d)
			}
		}
		for range limit {
			g.Admit(t.Context())
		}
		if d := g.Admit(t.Context()); d.Admitted {
			t.Errorf("limit %d, full: %+v", limit, d)
		}
	}
}
