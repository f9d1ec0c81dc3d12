package admission

import (
	"testing"
	"time"
)

// told lets a gate look once a second, and says what it thought each time.
func (w *world) told(t *testing.T, g *Gate, depths ...int) (thought []int, admitted []bool) {
	t.Helper()
	for _, depth := range depths {
		w.now, w.depth = w.now.Add(time.Second), depth
		d := g.Check(t.Context())
		thought, admitted = append(thought, d.Depth), append(admitted, d.Admitted)
	}
	return thought, admitted
}

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// SQS's counts may all be zero for a moment.
func TestADipWhileFullDoesNotOpenTheGate(t *testing.T) {
	for name, dip := range map[string][]int{
		"one reading":     {100, 0, 100, 100},
		"two readings":    {100, 0, 0, 100},
		"again and again": {100, 0, 0, 100, 0, 0, 100, 0, 100},
		"part of it":      {100, 40, 60, 100},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{}
			_, admitted := w.told(t, w.gate(t, 100, 1), dip...)
			for i, ok := range admitted {
				if ok {
					t.Errorf("it was open at reading %d of %v", i, dip)
				}
			}
		})
	}
}

func TestAPurgedQueueIsOpenWithinSeconds(t *testing.T) {
	w := &world{}
	_, admitted := w.told(t, w.gate(t, 100, 1), 100, 0, 0, 0, 0)
	equal(t, "open", admitted, []bool{false, false, false, false, true})
	w = &world{}
	g := w.gate(t, 100, 1)
	w.told(t, g, 100, 0)
	w.now = w.now.Add(time.Minute) // nobody asked: two readings tell no more than one
	if _, admitted = w.told(t, g, 0); admitted[0] {
		t.Error("it was open by its second reading")
	}
	if _, admitted = w.told(t, g, 0); !admitted[0] {
		t.Error("it was shut by its third reading, a minute later")
	}
}

// Counts of 10, 0, 0, 7, 3 and then nothing: it is empty after the last run of zeros,
// not after the first.
func TestItIsEmptyAfterTheLastZeros(t *testing.T) {
	w := &world{}
	g := w.gate(t, 100, 0.01)
	thought, _ := w.told(t, g, 10, 0, 0, 7, 3, 0, 0, 0, 0, 0)
	equal(t, "thought", thought, []int{10, 10, 10, 10, 7, 7, 7, 7, 0, 0})
}

func TestWhatWorkersCanDrainIsBelieved(t *testing.T) {
	w := &world{}
	thought, _ := w.told(t, w.gate(t, 1000, 30), 100, 70, 41, 11, 0, 5, 4)
	equal(t, "thought", thought, []int{100, 70, 41, 11, 0, 5, 4})
}

func TestARiseIsBelievedAtOnce(t *testing.T) {
	w := &world{}
	_, admitted := w.told(t, w.gate(t, 100, 1), 10, 0, 100)
	equal(t, "open", admitted, []bool{true, true, false})
}

func TestExactCountsAreBelieved(t *testing.T) {
	w := &world{depth: 100, now: time.Unix(1_800_000_000, 0)}
	c := w.config(100, 1)
	c.Doubt = -1
	_, admitted := w.told(t, made(t, c), 100, 0)
	equal(t, "open", admitted, []bool{false, true})
}

// Whom an empty-looking queue would have let in is counted as long as it is doubted.
func TestWhatIsAdmittedInDoubtIsCounted(t *testing.T) {
	w := &world{depth: 90}
	g := w.gate(t, 100, 1)
	admitted := 0
	for _, depth := range []int{90, 0, 0} {
		w.now, w.depth = w.now.Add(time.Second), depth
		for range 20 {
			if g.Admit(t.Context()).Admitted {
				admitted++
			}
		}
	}
	if admitted != 10 {
		t.Errorf("%d jobs were admitted to ten places", admitted)
	}
}

// Where nothing waits of a sudden that just now was old, that is a dip as well.
func TestADipOfTheAge(t *testing.T) {
	w := &world{depth: 3, now: time.Unix(1_800_000_000, 0)}
	c := w.config(1000, 30)
	c.LongestWait = 10 * time.Minute
	g := made(t, c)
	w.oldest = w.now.Add(-11 * time.Minute)
	if d := g.Check(t.Context()); d.Admitted || d.Reason != Full {
		t.Errorf("old as it is: %+v", d)
	}
	oldest := w.oldest
	for i, want := range []bool{false, false, true} { // after a third it is believed
		w.now, w.depth, w.oldest = w.now.Add(1500*time.Millisecond), 0, time.Time{}
		if d := g.Check(t.Context()); d.Admitted != want {
			t.Errorf("reading %d without an age: %+v", i, d)
		}
	}
	w.now, w.depth, w.oldest = w.now.Add(time.Second), 3, oldest
	if d := g.Check(t.Context()); d.Admitted {
		t.Errorf("old again: %+v", d)
	}
	w.now, w.oldest = w.now.Add(time.Second), w.now // workers work again, and said so
	if d := g.Check(t.Context()); !d.Admitted {
		t.Errorf("young: %+v", d)
	}
}

// A process that was frozen for long, or is seldom asked, has nothing to doubt a reading
// by: what it saw old may have been worked on since.
func TestWhatWasOldLongAgoIsNoReasonToDoubt(t *testing.T) {
	w := &world{depth: 3, now: time.Unix(1_800_000_000, 0)}
	c := w.config(1000, 30)
	c.LongestWait = 10 * time.Minute
	g := made(t, c)
	w.oldest = w.now.Add(-6 * time.Minute)
	if d := g.Check(t.Context()); !d.Admitted {
		t.Fatalf("before: %+v", d)
	}
	w.now, w.depth, w.oldest = w.now.Add(3*time.Hour), 0, time.Time{}
	if d := g.Check(t.Context()); !d.Admitted || d.Age != 0 {
		t.Errorf("an empty queue, hours later: %+v", d)
	}
}
