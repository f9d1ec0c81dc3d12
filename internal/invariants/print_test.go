package invariants

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/internal/fault/callsite"
)

// A cell of the matrix is what came of one kind of fault at one call, in one
// scenario.
type cell struct{ runs, violations int }

// A matrix has a cell for each scenario, call and kind of fault.
type matrix struct {
	finder *fault.Finder
	// first and last are as repeats gives them.
	first, last int

	mu    sync.Mutex
	told  int // scenarios
	rows  map[string]map[string]map[fault.Kind]*cell
	total map[string]*cell
	// reached are the places in pkg that a run came to, and where it was first.
	reached map[string]string
}

func newMatrix(found callsite.Calls) *matrix {
	m := &matrix{
		finder: &fault.Finder{Forwarders: found.Forwarders}, rows: map[string]map[string]map[fault.Kind]*cell{},
		total: map[string]*cell{}, reached: map[string]string{},
	}
	m.first, m.last = repeats()
	return m
}

// add takes note of a run and gives how many violations there were in its scenario.
func (m *matrix) add(scenario string, s strike, violated bool) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows[scenario] == nil {
		m.rows[scenario], m.total[scenario] = map[string]map[fault.Kind]*cell{}, &cell{}
	}
	if m.rows[scenario][s.at.where] == nil {
		m.rows[scenario][s.at.where] = map[fault.Kind]*cell{}
	}
	if m.rows[scenario][s.at.where][s.kind] == nil {
		m.rows[scenario][s.at.where][s.kind] = &cell{}
	}
	for _, c := range []*cell{m.rows[scenario][s.at.where][s.kind], m.total[scenario]} {
		c.runs++
		if violated {
			c.violations++
		}
	}
	return m.total[scenario].violations
}

// begin takes note of a scenario without faults.
func (m *matrix) begin(scenario string, calls []observed) {
	m.reach(scenario, calls)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.told++
}

func (m *matrix) reach(scenario string, calls []observed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range calls {
		if c.place != "" && m.reached[c.place] == "" {
			m.reached[c.place] = scenario
		}
	}
}

// columns are the kinds of fault in the order of the matrix.
var columns = []fault.Kind{
	fault.Down, fault.Throttled, fault.Lost, fault.Repeated, fault.KilledBefore, fault.KilledAfter, fault.Slow, fault.Frozen, fault.Late, fault.Twice,
}

// wide is how long the longest name of a call is.
const wide = 104

// print writes the matrix: for each scenario a line for each call, with the number
// of runs under each fault, and behind it the violations, if there were any.
func (m *matrix) print(out io.Writer, places []string) {
	for _, scenario := range slices.Sorted(maps.Keys(m.rows)) {
		fmt.Fprintf(out, "\n%s", padded(strings.ToUpper(scenario), wide+2))
		for _, kind := range columns {
			fmt.Fprintf(out, " %6s", kind.Short())
		}
		fmt.Fprintln(out)
		for _, where := range slices.Sorted(maps.Keys(m.rows[scenario])) {
			fmt.Fprint(out, "  "+padded(where, wide))
			for _, kind := range columns {
				fmt.Fprintf(out, " %6s", m.rows[scenario][where][kind])
			}
			fmt.Fprintln(out)
		}
	}
	fmt.Fprintf(out, "\n%s %7s %10s\n", padded("SCENARIO", 40), "runs", "violations")
	var all cell
	for _, scenario := range slices.Sorted(maps.Keys(m.total)) {
		c := m.total[scenario]
		all.runs, all.violations = all.runs+c.runs, all.violations+c.violations
		fmt.Fprintf(out, "%s %7d %10d\n", padded(scenario, 40), c.runs, c.violations)
	}
	fmt.Fprintf(out, "%s %7d %10d\n", padded("all", 40), all.runs, all.violations)
	fmt.Fprintf(out, "\n%d calls in pkg, %d of them met:\n", len(places), len(m.reached))
	for _, place := range places {
		by := m.reached[place]
		if by == "" {
			by = unreachable[place]
		}
		fmt.Fprintf(out, "  %s %s\n", padded(place, wide), by)
	}
}

// String is how many runs there were, and how many violations if there were any.
func (c *cell) String() string {
	switch {
	case c == nil:
		return "·"
	case c.violations > 0:
		return fmt.Sprintf("%d!%d", c.runs, c.violations)
	}
	return fmt.Sprint(c.runs)
}

func padded(text string, width int) string {
	return text + strings.Repeat(" ", max(width-utf8.RuneCountInString(text), 0))
}
