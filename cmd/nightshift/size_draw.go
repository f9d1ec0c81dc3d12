package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nightshift-go/nightshift/internal/sizingplot"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// format is what the plot's file is to be.
func (f *sizeFlags) format() (sizingplot.Format, error) {
	switch ext := strings.ToLower(filepath.Ext(f.plot)); {
	case f.plot == "":
		return "", nil
	case ext == ".svg":
		return sizingplot.SVG, nil
	case ext == ".png":
		return sizingplot.PNG, nil
	}
	return "", fmt.Errorf("--plot %s: the name of a plot ends in .svg or .png", f.plot)
}

// draw draws the plot that was asked for, if one was.
func (f *sizeFlags) draw(s streams, p sizing.Plan) error {
	format, err := f.format()
	if err != nil || f.plot == "" {
		return err
	}
	var drawn []byte
	if f.spike != nil {
		drawn, err = sizingplot.Spike(f.under(p), format)
	} else {
		drawn, err = sizingplot.Waits(p, format)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(f.plot, drawn, 0o644); err != nil {
		return fmt.Errorf("writing the plot: %w", err)
	}
	fmt.Fprintln(s.err, "drawn:", f.plot)
	return nil
}
