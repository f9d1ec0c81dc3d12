// Package scenariofile reads a simulation that somebody wrote down, in YAML or JSON.
// docs/simulate.md has the fields; what is not known is refused, and all that is wrong
// is reported at once.
package scenariofile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/nightshift-go/nightshift/internal/simulation/scenarios"
)

// MostBytes is the size of the largest file that is read.
const MostBytes = 1 << 20

// mostRuns bounds the runs of a file: more can't be told apart in a plot.
const mostRuns = 6

// An Opener opens a file that a scenario names.
type Opener func(name string) (io.ReadCloser, error)

// document is the whole file: what all runs have in common, and what each has of its
// own. YAML's syntax includes JSON's.
type document struct {
	Title  string `yaml:"title"`
	Common `yaml:",inline"`
	Runs   []own `yaml:"runs"`
}

// own is a run's part of the file.
type own struct {
	Name   string `yaml:"name"`
	Common `yaml:",inline"`
}

// Decode reads a scenario. name is what it is called where the file says nothing; open
// opens the traces that it names.
func Decode(data []byte, name string, open Opener) (scenarios.Scenario, error) {
	if len(data) > MostBytes {
		return scenarios.Scenario{}, fmt.Errorf("scenariofile: it has %d bytes, and may have %d", len(data), MostBytes)
	}
	var d document
	problems := strictly(data, &d)
	if reflect.ValueOf(d).IsZero() && len(problems) == 0 {
		return scenarios.Scenario{}, errors.New("scenariofile: it is empty")
	}
	if slices.ContainsFunc(problems, twice) { // the rest was not read
		return scenarios.Scenario{}, fmt.Errorf("scenariofile: %w", errors.Join(problems...))
	}
	if d.Title == "" {
		d.Title = name
	}
	s := scenarios.Scenario{Name: name, Title: d.Title}
	runs, err := each(data, d)
	if err != nil && len(problems) == 0 { // else it says the same again
		problems = append(problems, err)
	}
	wrong := make([][]error, len(runs))
	for i, r := range runs {
		c, err := r.config(open)
		if err == nil {
			err = errors.Join(c.Check(), r.within(c))
		}
		wrong[i] = single(err)
		s.Runs = append(s.Runs, c)
	}
	problems = append(problems, eachOnce(runs, wrong)...)
	problems = append(problems, alike(runs)...)
	if len(problems) > 0 {
		return scenarios.Scenario{}, fmt.Errorf("scenariofile: %w", errors.Join(problems...))
	}
	return s, nil
}

// strictly decodes the file and gives everything in it that is not as it should be.
func strictly(data []byte, d *document) []error {
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	var problems []error
	switch err := decoder.Decode(d); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		problems = plain(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) && len(problems) == 0 {
		problems = append(problems, errors.New("it has more than one document"))
	}
	if len(d.Runs) > mostRuns {
		problems = append(problems, fmt.Errorf("it has %d runs, and may have %d", len(d.Runs), mostRuns))
	}
	return problems
}

// each gives the runs, every one with what it has in common with the others. The file
// has been checked strictly; here values are put above one another.
func each(data []byte, d document) ([]own, error) {
	if len(d.Runs) == 0 {
		return []own{{Common: d.Common}}, nil
	}
	var again struct {
		Runs []yaml.Node `yaml:"runs"`
	}
	if err := yaml.Unmarshal(data, &again); err != nil || len(again.Runs) != len(d.Runs) {
		return nil, errors.Join(errors.New("its runs can't be read"), err)
	}
	var runs []own
	for i := range again.Runs {
		r := own{Common: d.clone()}
		if err := again.Runs[i].Decode(&r); err != nil {
			return nil, err
		}
		if r.Name == "" {
			r.Name = fmt.Sprintf("run %d", i+1)
		}
		runs = append(runs, r)
	}
	return runs, nil
}
