// Command simulate plays the simulator's scenarios and renews the plots and tables of
// docs/simulate.md.
//
//	go run ./scripts/simulate [-only NAME] [-png FOLDER]
//
// The same code gives the same bytes on the same kind of processor.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/report"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
)

const (
	page   = "docs/simulate.md"
	folder = "docs/simulate"
)

func main() {
	only := flag.String("only", "", "the one scenario to renew")
	pngs := flag.String("png", "", "a folder for the plots as PNG, to look at")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, s := range scenarios.All() {
		if *only != "" && *only != s.Name {
			continue
		}
		if err := renew(ctx, s, *pngs); err != nil {
			fmt.Fprintf(os.Stderr, "simulate: %s: %v\n", s.Name, err)
			os.Exit(1)
		}
		fmt.Println("renewed:", s.Name)
	}
}

// renew plays a scenario and writes its plot and its table.
func renew(ctx context.Context, s scenarios.Scenario, pngs string) error {
	var runs []*simulation.Result
	for _, c := range s.Runs {
		r, err := simulation.Run(ctx, c)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	if err := plot(s, runs, report.SVG, folder); err != nil {
		return err
	}
	if pngs != "" {
		if err := plot(s, runs, report.PNG, pngs); err != nil {
			return err
		}
	}
	var table bytes.Buffer
	if err := report.Totals(&table, runs); err != nil {
		return err
	}
	return replace(s.Name, table.Bytes())
}

func plot(s scenarios.Scenario, runs []*simulation.Result, format report.Format, folder string) error {
	drawn, err := report.Plot(s.Title, runs, format)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, s.Name+"."+string(format)), drawn, 0o644)
}

// replace puts a table into the block of the page that has the scenario's name.
func replace(name string, table []byte) error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	block := regexp.MustCompile("(?s)(<!-- " + regexp.QuoteMeta(name) + " -->\n```text\n).*?(```\n)")
	if !block.Match(text) {
		return fmt.Errorf("%s has no block for it", page)
	}
	return os.WriteFile(page, block.ReplaceAll(text, append(append([]byte("${1}"), bytes.ReplaceAll(table, []byte("$"), []byte("$$"))...), "${2}"...)), 0o644)
}
