package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// An assembly is what a synthesis gave.
type assembly struct {
	template []byte   // CloudFormation, JSON
	notes    []string // what constructs had to say
}

// synthesise writes the cloud assembly of the stack to the folder out. Assets
// is the folder of the built functions.
func synthesise(root, assets, out string) (*assembly, error) {
	context, err := readContext(root)
	if err != nil {
		return nil, err
	}
	app := awscdk.NewApp(&awscdk.AppProps{
		Context:            &context,
		Outdir:             jsii.String(out),
		AnalyticsReporting: jsii.Bool(false),
	})
	choices, err := choose(app, assets)
	if err != nil {
		return nil, err
	}
	stack := newCrumb(app, choices)
	app.Synth(nil)
	template, err := os.ReadFile(filepath.Join(out, stackName+".template.json"))
	if err != nil {
		return nil, fmt.Errorf("infra: reading the synthesised template: %w", err)
	}
	return &assembly{template, notes(stack)}, nil
}

// choose reads what the deployment chose from the app's context.
func choose(app awscdk.App, assets string) (options, error) {
	concurrency, err := contextNumber(app, "concurrency")
	connections, err2 := contextNumber(app, "database-connections")
	return options{
		Assets:         assets,
		AlarmTopic:     contextString(app, "alarm-topic"),
		NoReservations: contextString(app, "no-reservations") == "true",
		NoVideos:       contextString(app, "no-videos") == "true",
		MailFrom:       contextString(app, "mail-from"),
		URL:            contextString(app, "site-url"),
		Concurrency:    concurrency,
		Connections:    connections,
	}, errors.Join(err, err2)
}

func contextString(app awscdk.App, key string) string {
	value, _ := app.Node().TryGetContext(jsii.String(key)).(string)
	return value
}

// contextNumber is a number of 1 at least; zero where none is given.
func contextNumber(app awscdk.App, key string) (int, error) {
	value := app.Node().TryGetContext(jsii.String(key)) // a text on the command line
	if value == nil {
		return 0, nil
	}
	n, err := strconv.Atoi(fmt.Sprint(value))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("infra: context %s is %v: use a whole number from 1", key, value)
	}
	return n, nil
}

// notes are the annotations of a stack, in the words of the cdk command.
func notes(stack awscdk.Stack) []string {
	kinds := map[string]string{"aws:cdk:info": "Info", "aws:cdk:warning": "Warning", "aws:cdk:error": "Error"}
	var found []string
	for _, child := range *stack.Node().FindAll(core.ConstructOrder_PREORDER) {
		for _, entry := range *child.Node().Metadata() {
			if kind := kinds[*entry.Type]; kind != "" {
				found = append(found, fmt.Sprintf("[%s at /%s] %v", kind, *child.Node().Path(), entry.Data))
			}
		}
	}
	return found
}

// functionNames are the programs in functions/ that are Lambda functions, by their
// folders: those without a Dockerfile.
func functionNames(root string) ([]string, error) {
	names, err := programNames(root)
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Stat(filepath.Join(root, "functions", name, "Dockerfile"))
		return err == nil
	}), err
}

// programNames are the programs in functions/, by their folders.
func programNames(root string) ([]string, error) {
	programs, err := filepath.Glob(filepath.Join(root, "functions", "*", "main.go"))
	if err != nil {
		return nil, fmt.Errorf("infra: finding the functions: %w", err)
	}
	names := make([]string, len(programs))
	for i, program := range programs {
		names[i] = filepath.Base(filepath.Dir(program))
	}
	return names, nil
}

// standIns makes a folder that looks like that of the built functions.
func standIns(root, assets string) error {
	names, err := programNames(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		folder := filepath.Join(assets, name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("infra: making a stand-in for %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, "bootstrap"), []byte(name), 0o755); err != nil {
			return fmt.Errorf("infra: making a stand-in for %s: %w", name, err)
		}
		image, err := os.ReadFile(filepath.Join(root, "functions", name, "Dockerfile"))
		if errors.Is(err, fs.ErrNotExist) {
			continue // a function
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, "Dockerfile"), image, 0o644)
		}
		if err != nil {
			return fmt.Errorf("infra: making a stand-in for the image of %s: %w", name, err)
		}
	}
	return nil
}
