package main

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"
)

//go:embed report.html
var pages embed.FS

// A summary is what a report tells.
type summary struct {
	Began   time.Time
	Took    time.Duration // of the machine's time
	Acts    int
	Answers map[int]int
	Queues  []queueDay
}

// A row is a queue's line in the table.
type row struct {
	Queue                               string
	Jobs, Done, Dead, Cancelled         int
	Planned                             int
	Median, Slow, Longest, Run, SlowRun time.Duration
	Depth                               int
}

func (s summary) Rows() []row {
	rows := make([]row, len(s.Queues))
	for i, q := range s.Queues {
		rows[i] = row{
			Queue: q.Queue, Jobs: q.Jobs, Done: q.Done, Dead: q.Dead, Cancelled: q.Cancelled, Planned: q.Planned,
			Median: short(quantile(q.Waits, 0.5)), Slow: short(quantile(q.Waits, 0.99)), Longest: short(quantile(q.Waits, 1)),
			Run: short(quantile(q.Runs, 0.5)), SlowRun: short(quantile(q.Runs, 0.99)), Depth: slices.Max(append(q.Depth, 0)),
		}
	}
	return rows
}

// Statuses lists the answers by their status.
func (s summary) Statuses() []string {
	var all []string
	for _, status := range slices.Sorted(maps.Keys(s.Answers)) {
		all = append(all, fmt.Sprintf("%d × %d", s.Answers[status], status))
	}
	return all
}

// short drops digits that mean nothing.
func short(d time.Duration) time.Duration {
	switch {
	case d > time.Minute:
		return d.Round(time.Second)
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// print writes the table for people at a terminal.
func (s summary) print(w io.Writer) {
	fmt.Fprintf(w, "\n%d acts in %s of this machine's time; answers: %v\n\n", s.Acts, s.Took, s.Statuses())
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "queue\tjobs\tdone\tdead\tcancelled\twait p50\tp99\tlongest\trun p50\tp99\tdeepest\t")
	for _, r := range s.Rows() {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%v\t%v\t%v\t%v\t%v\t%d\t\n",
			r.Queue, r.Jobs, r.Done, r.Dead, r.Cancelled, r.Median, r.Slow, r.Longest, r.Run, r.SlowRun, r.Depth)
	}
	if err := table.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "load: printing:", err)
	}
}

// A figure is a plot of the report.
type figure struct {
	file, title, unit string
	of                func(q queueDay, at int) float64
}

var figures = []figure{
	{"arrivals.svg", "Arrivals in a quarter of an hour", "jobs", func(q queueDay, at int) float64 { return float64(q.Arrivals[at]) }},
	{"depth.svg", "The most jobs that waited at once", "jobs", func(q queueDay, at int) float64 { return float64(q.Depth[at]) }},
	{"age.svg", "The longest wait of a job that was taken", "seconds", func(q queueDay, at int) float64 { return q.Age[at].Seconds() }},
}

// report writes the page and its plots into a folder.
func report(folder string, s summary) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, f := range figures {
		var lines []line
		for _, q := range s.Queues {
			l := line{name: q.Queue, values: make([]float64, len(q.Arrivals))}
			for at := range l.values {
				l.values[at] = f.of(q, at)
			}
			lines = append(lines, l)
		}
		drawn, err := overTheDay(f.title, f.unit, s.Began, lines)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, f.file), drawn, 0o644); err != nil {
			return err
		}
	}
	page, err := template.ParseFS(pages, "report.html")
	if err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(folder, "report.html"))
	if err != nil {
		return err
	}
	err = page.Execute(out, struct {
		summary
		Figures []struct{ File, Title string }
	}{s, titles()})
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	return err
}

func titles() (list []struct{ File, Title string }) {
	for _, f := range figures {
		list = append(list, struct{ File, Title string }{f.file, f.title})
	}
	return list
}
