package invariants

import (
	"flag"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/nightshift-go/nightshift/internal/fault/callsite"
)

// full is for `make faults`.
var full = flag.Bool("full", false, "strike calls that are repeated in one place more than once, all pairs of faults, and print the matrix")

// A scenario makes some calls in one place again and again: the sweep's, each
// minute. So many of each are struck, from the beginning and from the end.
func repeats() (first, last int) {
	if *full {
		return 4, 2
	}
	return 1, 0
}

// targets are the calls of a run that are struck. What only reads and found nothing
// is struck once in each place.
func targets(calls []observed, first, last int) (chosen []observed) {
	byWhere := map[string][]observed{}
	var order []string
	for _, c := range calls {
		if byWhere[c.where] == nil {
			order = append(order, c.where)
		}
		if c.empty && len(byWhere[c.where]) > 0 {
			continue
		}
		byWhere[c.where] = append(byWhere[c.where], c)
	}
	for _, where := range order {
		all := byWhere[where]
		if len(all) > first+last {
			all = append(all[:first:first], all[len(all)-last:]...)
		}
		chosen = append(chosen, all...)
	}
	return chosen
}

// unreachable are the calls that the source shows and that can't come about.
var unreachable = map[string]string{
	"producer.(*Batch).Add › store.(*Jobs).CreateAll › Get: Get":                   "members are not unique: nobody asks who has the key",
	"producer.(*Batch).Add › store.(*Jobs).CreateAll › replace: Write":             "members are not unique: none takes another's place",
	"sweep.(*healer).remedy › store.(*Jobs).Promote › promoteLetter: Write":        "the scan promotes scheduled jobs only; due letters are the due index's",
	"sweep.(*healer).remedy › store.(*Jobs).Promote › promoteEvent: Get":           "the scan promotes scheduled jobs only; due events are the due index's",
	"sweep.(*healer).remedy › store.(*Jobs).Promote › Resend: Write":               "the scan promotes scheduled jobs only; due events are the due index's",
	"producer.(*Producer).handOver › store.(*Jobs).Promote › promoteLetter: Write": "a job that was just moved is not dead",
	"producer.(*Producer).handOver › store.(*Jobs).Promote › promoteEvent: Get":    "a job is no event",
	"producer.(*Producer).handOver › store.(*Jobs).Promote › Resend: Write":        "a job is no event",
	"worker.Batch › store.(*Jobs).Batch › addShards: Query":                        "the job after a batch exists when that has ended, and then the batch's row tells all",
}

// Every scenario under every fault at every call: nothing is lost, stuck, done
// twice or charged to the wrong one, and every call that pkg makes is met.
func TestMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of runs whose processes take turns: nothing for the race detector, and minutes of it")
	}
	found, err := callsite.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	m := newMatrix(found)
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range scenarios() {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				m.singles(t, s)
			})
		}
		for part := range parts {
			t.Run(pairsName, func(t *testing.T) {
				t.Parallel()
				m.pairs(t, core, part)
			})
		}
	})
	if *full {
		m.print(os.Stdout, found.Places)
	}
	if t.Failed() || m.told < len(scenarios()) {
		return // the rest tells of what was left out
	}
	for _, place := range found.Places {
		if why := unreachable[place]; (m.reached[place] == "") != (why != "") {
			t.Errorf("no scenario comes to this call: %s %s", place, why)
		}
	}
	for _, place := range slices.Sorted(maps.Keys(m.reached)) {
		if !slices.Contains(found.Places, place) {
			t.Errorf("a call that the source does not show: %s", place)
		}
	}
}

// singles tells a scenario under each fault at each call.
func (m *matrix) singles(t *testing.T, s scenario) {
	calls, report := tell(t, m.finder, s)
	m.begin(s.name, calls)
	if report != "" {
		t.Fatalf("%s without a fault: %s", s.name, report)
	}
	for _, target := range targets(calls, m.first, m.last) {
		for _, kind := range target.kinds {
			m.tell(t, s.name, s, strike{target, kind})
		}
	}
}

// The pairs are told in parts, side by side. Without -full a part is a sample.
const (
	pairsName = "run, pairs"
	parts     = 4
	sample    = 16
)

// pairs tells a scenario under each fault at each call, together with each fault at
// each call after it.
func (m *matrix) pairs(t *testing.T, s scenario, part int) {
	calls, _ := tell(t, m.finder, s)
	step, n := parts*sample, 0
	if *full {
		step = parts
	}
	for _, target := range targets(calls, m.first, m.last) {
		for _, kind := range target.kinds {
			one := strike{target, kind}
			after, _ := tell(t, m.finder, s, one)
			for i, c := range after {
				if c.same(target) {
					after = after[i+1:]
					break
				}
			}
			for _, second := range targets(after, m.first, m.last) {
				for _, kind := range second.kinds {
					if n++; n%step == part {
						m.tell(t, pairsName, s, one, strike{second, kind})
					}
				}
			}
		}
	}
}

// shown is how many violations of a scenario are told with their traces.
const shown = 5

// tell tells a scenario under faults, and takes note of what came of it in the cell
// of the last one.
func (m *matrix) tell(t *testing.T, name string, s scenario, strikes ...strike) {
	calls, report := tell(t, m.finder, s, strikes...)
	m.reach(s.name, calls)
	if violations := m.add(name, strikes[len(strikes)-1], report != ""); report != "" && violations <= shown {
		t.Errorf("%s: %v:\n%s", name, strikes, report)
	} else if report != "" {
		t.Fail()
	}
}
