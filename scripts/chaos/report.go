package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// An outcome is how a run went.
type outcome struct {
	seed       uint64
	jobs       int
	plan       *plan
	remains    *remains
	history    map[job.ID][]change
	changes    int
	injected   map[string]int
	stormed    time.Duration
	settled    time.Duration
	tally      tally
	violations []violation
}

// print writes the report.
func (o *outcome) print(w io.Writer) {
	t := o.tally
	fmt.Fprintf(w, "\nseed %d: %d jobs, a storm of %s, settled %s after it\n\n", o.seed, o.jobs, o.stormed.Round(time.Second), o.settled.Round(time.Second))
	fmt.Fprintf(w, "| kind of job | jobs |\n|---|---|\n")
	byKind := map[string]int{}
	for _, j := range o.plan.jobs {
		byKind[j.kind]++
	}
	table(w, byKind)
	fmt.Fprintf(w, "\n| injected | times |\n|---|---|\n")
	table(w, o.injected)
	fmt.Fprintf(w, "\n| ended | jobs |\n|---|---|\n")
	for _, row := range []struct {
		name string
		n    int
	}{
		{"accepted", t.accepted}, {"done", t.done}, {"dead", t.dead}, {"cancelled", t.cancelled},
		{"effects", t.effects}, {"letters", t.letters}, {"copies of letters", t.copies},
		{"attempts that were spent", t.attempts}, {"of those, deaths of workers alone", t.deaths},
		{"changes of rows", o.changes},
	} {
		fmt.Fprintf(w, "| %s | %d |\n", row.name, row.n)
	}
	fmt.Fprintf(w, "\n| rule | violations |\n|---|---|\n")
	for _, rule := range finalRules {
		n := 0
		for _, v := range o.violations {
			if v.rule == rule {
				n++
			}
		}
		fmt.Fprintf(w, "| %s | %d |\n", rule, n)
	}
	fmt.Fprintln(w)
}

func table(w io.Writer, counts map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(w, "| %s | %d |\n", name, counts[name])
	}
}

// write puts the histories of the jobs that broke a rule into a folder, a file for
// each, with what the functions logged of them.
func (o *outcome) write(folder, logged string) (err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("keeping the histories: %w", err)
	}
	lines, err := linesOf(logged, o.violations)
	if err != nil {
		return err
	}
	files := map[string]*strings.Builder{}
	for _, v := range o.violations {
		name := "general.txt"
		if v.id != "" {
			name = string(v.id) + ".txt"
		}
		text := files[name]
		if text == nil {
			text = &strings.Builder{}
			files[name] = text
		}
		fmt.Fprintf(text, "VIOLATED: %s: %s\n", v.rule, v.text)
	}
	for name, text := range files {
		id := job.ID(strings.TrimSuffix(name, ".txt"))
		o.tell(text, id, lines[id])
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(text.String()), 0o644))
	}
	return err
}

// tell writes a job's history.
func (o *outcome) tell(w io.Writer, id job.ID, logged []string) {
	if j := o.plan.byID[id]; j != nil {
		fmt.Fprintf(w, "\nplanned: %s: %+v\n", j.kind, *j)
		fmt.Fprintf(w, "row: %+v\neffect: %+v\nletters: %+v\n", o.remains.rows[id], o.remains.effects[id], o.remains.letters[id])
	}
	fmt.Fprintln(w, "\nchanges:")
	for _, c := range o.history[id] {
		r := c.new
		fmt.Fprintf(w, "%s %q -> %q attempt=%d n=%d token=%.6s alone=%v deaths=%d suspect=%v cancel=%v lease=%s not_before=%s publish=%+v error=%+v\n",
			c.at.Format(time.TimeOnly), c.old.State, r.State, r.Attempt, r.N, r.Token, r.Alone, r.Deaths, r.Suspect, r.CancelRequested,
			r.LeaseUntil.Format("15:04:05.000"), r.NotBefore.Format("15:04:05.000"), r.Publication, r.Error)
	}
	fmt.Fprintln(w, "\nlogged:")
	for _, line := range logged {
		fmt.Fprintln(w, line)
	}
}

// linesOf finds what was logged of the jobs.
func linesOf(path string, violations []violation) (map[job.ID][]string, error) {
	found := map[job.ID][]string{}
	for _, v := range violations {
		if v.id != "" {
			found[v.id] = nil
		}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading what was logged: %w", err)
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		for id := range found {
			if strings.Contains(scanner.Text(), string(id)) {
				found[id] = append(found[id], scanner.Text())
			}
		}
	}
	return found, scanner.Err()
}
