package main

import (
	"fmt"
	"text/tabwriter"
)

// A listing shows what a command found: as a table, or each on a line as JSON.
type listing[T any] struct {
	// none is said where nothing was found.
	none string
	// titles are those of the table's columns, and row what stands in them, with tabs
	// between.
	titles string
	row    func(T) string
	// details are what the JSON is of.
	details func(T) any
}

func (l listing[T]) show(s streams, found []T, asJSON bool) error {
	if asJSON {
		for _, one := range found {
			if err := jsonLine(s.out, l.details(one)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(found) == 0 {
		fmt.Fprintln(s.err, l.none)
		return nil
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, l.titles)
	for _, one := range found {
		fmt.Fprintln(table, l.row(one))
	}
	return wrote(table.Flush())
}
