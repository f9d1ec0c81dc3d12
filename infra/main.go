// Command infra is the AWS CDK app of Crumb, the application in functions/.
//
// It is run by the cdk command (see cdk.json) or by itself:
//
//	go run ./infra                     writes infra/cdk.out
//	go run ./infra -sam template.yaml  writes the template for SAM and `nightshift dev`
//
// Both ways of running give the same template, byte for byte. It needs Node.js
// 20 or newer, on which CDK itself runs, and for the first form the functions
// built by `make build`.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/infra/rules"
	"github.com/nightshift-go/nightshift/infra/samgen"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

func main() {
	sam := flag.String("sam", "", "write a SAM template to this `file` instead of a cloud assembly")
	assets := flag.String("assets", "", "the `folder` of the built functions; default dist/arm64 of the module")
	flag.Parse()
	if err := run(*sam, *assets); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(sam, assets string) (err error) {
	defer recoverMistake(&err)
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	if sam != "" {
		return writeSAM(root, sam)
	}
	if assets == "" {
		assets = filepath.Join(root, "dist", "arm64")
	}
	out := os.Getenv("CDK_OUTDIR") // set by the cdk command
	byHand := out == ""
	if byHand {
		out = filepath.Join(root, "infra", "cdk.out")
	}
	assembly, err := synthesise(root, assets, out)
	if err != nil {
		return err
	}
	if byHand { // the cdk command prints the notes itself
		for _, note := range assembly.notes {
			fmt.Fprintln(os.Stderr, note)
		}
	}
	return checkRules(assembly.template)
}

// writeSAM synthesises with stand-ins for the built functions, of which a SAM
// template says only where they are.
func writeSAM(root, file string) error {
	scratch, err := os.MkdirTemp("", "infra")
	if err != nil {
		return fmt.Errorf("infra: making a folder to synthesise in: %w", err)
	}
	defer os.RemoveAll(scratch)
	assets := filepath.Join(scratch, "dist")
	if err := standIns(root, assets); err != nil {
		return err
	}
	assembly, err := synthesise(root, assets, filepath.Join(scratch, "cdk.out"))
	if err != nil {
		return err
	}
	if err := checkRules(assembly.template); err != nil {
		return err
	}
	yaml, err := samgen.Generate(assembly.template)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, yaml, 0o644); err != nil {
		return fmt.Errorf("infra: writing the SAM template: %w", err)
	}
	return nil
}

// checkRules stops the synthesis of a template that breaks a rule, or that has other
// numbers than the plans of its queues.
func checkRules(template []byte) error {
	findings, err := rules.Check(template)
	if err != nil {
		return err
	}
	plans, err := sizing.ForTasks(tasks.Defined()...)
	if err != nil {
		return err
	}
	unplanned, err := rules.CheckPlans(template, slices.SortedFunc(maps.Values(plans), byName)...)
	if err != nil {
		return err
	}
	var problems []error
	for _, finding := range append(findings, unplanned...) {
		problems = append(problems, errors.New(finding.String()))
	}
	return errors.Join(problems...)
}

func byName(a, b sizing.Plan) int { return strings.Compare(a.Queue.Name, b.Queue.Name) }

// moduleRoot is the nearest folder upwards that holds go.mod: the cdk command
// runs the app in infra, people run it from the root.
func moduleRoot() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("infra: finding the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder, nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("infra: finding the module: no go.mod in this folder or above it")
		}
		folder = parent
	}
}

// readContext reads the context of cdk.json, which only the cdk command would
// read by itself, and adds what the command adds, so that both synthesise the
// same.
func readContext(root string) (map[string]any, error) {
	raw, err := os.ReadFile(filepath.Join(root, "infra", "cdk.json"))
	if err != nil {
		return nil, fmt.Errorf("infra: reading cdk.json: %w", err)
	}
	var settings struct {
		Context map[string]any `json:"context"`
	}
	if err := json.Unmarshal(raw, &settings); err != nil {
		return nil, fmt.Errorf("infra: reading cdk.json: %w", err)
	}
	if settings.Context == nil {
		settings.Context = map[string]any{}
	}
	settings.Context["aws:cdk:enable-path-metadata"] = true
	settings.Context["aws:cdk:enable-asset-metadata"] = true
	return settings.Context, nil
}

// recoverMistake turns a construct's complaint into an ordinary error.
func recoverMistake(err *error) {
	switch problem := recover().(type) {
	case nil:
	case constructs.Mistake:
		*err = problem
	default:
		panic(problem)
	}
}
