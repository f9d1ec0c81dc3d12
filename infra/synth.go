package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

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
	stack := newCrumb(app, options{
		Assets:         assets,
		AlarmTopic:     contextString(app, "alarm-topic"),
		NoReservations: contextString(app, "no-reservations") == "true",
		NoVideos:       contextString(app, "no-videos") == "true",
		MailFrom:       contextString(app, "mail-from"),
		URL:            contextString(app, "site-url"),
	})
	app.Synth(nil)
	template, err := os.ReadFile(filepath.Join(out, stackName+".template.json"))
	if err != nil {
		return nil, fmt.Errorf("infra: reading the synthesised template: %w", err)
	}
	return &assembly{template, notes(stack)}, nil
}

func contextString(app awscdk.App, key string) string {
	value, _ := app.Node().TryGetContext(jsii.String(key)).(string)
	return value
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
