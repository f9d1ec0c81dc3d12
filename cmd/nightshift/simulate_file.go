package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/nightshift-go/nightshift/internal/simulation"
	"github.com/nightshift-go/nightshift/internal/simulation/report"
	"github.com/nightshift-go/nightshift/internal/simulation/scenariofile"
	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
)

// readScenario reads a scenario of somebody's own. Traces that it names lie beside it.
func readScenario(name string) (scenarios.Scenario, error) {
	file, err := os.Open(name)
	if err != nil {
		return scenarios.Scenario{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(file, scenariofile.MostBytes+1))
	if err != nil {
		return scenarios.Scenario{}, fmt.Errorf("reading %s: %w", name, err)
	}
	base := filepath.Base(name)
	scenario, err := scenariofile.Decode(data, strings.TrimSuffix(base, filepath.Ext(base)), beside(filepath.Dir(name)))
	if err != nil {
		return scenario, fmt.Errorf("%s: %w", name, err)
	}
	return scenario, nil
}

// beside opens files by their names in a folder.
func beside(folder string) scenariofile.Opener {
	return func(name string) (io.ReadCloser, error) {
		if !filepath.IsAbs(name) {
			name = filepath.Join(folder, name)
		}
		return os.Open(name)
	}
}

// plotFormat is what a plot's file is to be.
func plotFormat(name string) (report.Format, error) {
	switch ext := strings.ToLower(filepath.Ext(name)); ext {
	case ".svg":
		return report.SVG, nil
	case ".png":
		return report.PNG, nil
	}
	return "", fmt.Errorf("%s: the name of a plot ends in .svg or .png", name)
}

// draw draws the plots that were asked for.
func (f *simulateFlags) draw(s streams, scenario scenarios.Scenario, runs []*simulation.Result) error {
	for _, name := range f.plots {
		format, err := plotFormat(name)
		if err != nil {
			return err
		}
		drawn, err := report.Plot(scenario.Title, runs, format)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, drawn, 0o644); err != nil {
			return fmt.Errorf("writing the plot: %w", err)
		}
		fmt.Fprintln(s.err, "drawn:", name)
	}
	return nil
}
