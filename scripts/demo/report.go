package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// report prints what became of each photograph, and if that is right the sum of
// it. It tells how many did not end as they should.
func report(out io.Writer, results []result) (wrong int) {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tphoto\tjob\tstate\tattempts\t202 to done\tfiles, or why not")
	turnedAway := 0
	for _, r := range results {
		mark := "ok"
		switch {
		case r.err != nil:
			mark = "WRONG"
			wrong++
		case refused(r):
			turnedAway++
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d\t%s\t%s\n", mark, r.name, r.job.ID, state(r), r.job.Attempts, took(r), outcome(r))
	}
	_ = table.Flush() // a table that can't be printed is no reason to fail
	if wrong == 0 {
		fmt.Fprintf(out, "\nAll ended as it should: %s resized%s.\n", count(len(results)-turnedAway, "photograph"), reasons(turnedAway))
	}
	return wrong
}

// took is nothing where there was no job.
func took(r result) string {
	if r.refused != nil {
		return ""
	}
	return r.took.Round(10 * time.Millisecond).String()
}

func reasons(turnedAway int) string {
	if turnedAway == 0 {
		return ""
	}
	return fmt.Sprintf(", %d refused for the reason given", turnedAway)
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func state(r result) string {
	if r.refused != nil {
		return "refused"
	}
	return r.job.State
}

// outcome is the last column.
func outcome(r result) string {
	switch {
	case r.err != nil:
		return r.err.Error()
	case r.refused != nil:
		return r.refused.Detail
	case r.job.Error != nil:
		return fmt.Sprintf("%s: %s", r.job.Error.Code, r.job.Error.Message)
	}
	files := make([]string, len(r.sizes))
	for i, s := range r.sizes {
		files[i] = fmt.Sprintf("%s %d×%d %s", s.Name, s.Width, s.Height, kilobytes(s.Bytes))
	}
	return strings.Join(files, ", ")
}

func kilobytes(bytes int) string {
	return fmt.Sprintf("%.1f KB", float64(bytes)/1000)
}
