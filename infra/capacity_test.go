package main

import (
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// What the deployment says there is, is what the queues are held to.
func TestContradictionsAreRefused(t *testing.T) {
	needNode(t)
	for _, c := range []struct {
		name, want string
		context    map[string]any
	}{
		{"an account of 400", "and the account has 400: ask AWS for a concurrency of", map[string]any{"concurrency": "400"}},
		{"a small database", `database "database-connections": the workers hold up to`, map[string]any{"database-connections": 100}},
		{"no number", "context concurrency is many: use a whole number", map[string]any{"concurrency": "many"}},
		{"less than one", "context database-connections is 0: use a whole number", map[string]any{"database-connections": "0"}},
	} {
		if err := tryContext(t, c.context); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// tryContext declares the stack with what a deployment chose.
func tryContext(t *testing.T, context map[string]any) (err error) {
	t.Helper()
	defer recoverMistake(&err)
	assets := t.TempDir()
	if err := standIns("..", assets); err != nil {
		return err
	}
	app := awscdk.NewApp(&awscdk.AppProps{Context: &context, Outdir: jsii.String(t.TempDir()), AnalyticsReporting: jsii.Bool(false)})
	choices, err := choose(app, assets)
	if err != nil {
		return err
	}
	newCrumb(app, choices)
	return nil
}

// What is set aside for functions that are no workers is what they reserve, and the
// few that run seldom.
func TestOtherFunctionsCount(t *testing.T) {
	plans, err := sizing.ForTasks(tasks.Defined()...)
	if err != nil {
		t.Fatal(err)
	}
	reserved := 0
	for _, p := range ofType(t, "AWS::Lambda::Function") {
		if n, ok := p["ReservedConcurrentExecutions"].(float64); ok {
			reserved += int(n)
		}
	}
	workers := 0
	for _, plan := range plans {
		if !plan.Queue.Polled {
			workers += plan.MostConcurrency
		}
	}
	if total := reserved + fewAtOnce + workers; total > 1000 {
		t.Errorf("%d at once: a new account has 1000", total)
	}
	err = tryContext(t, map[string]any{"concurrency": reserved + fewAtOnce + workers})
	if err != nil {
		t.Errorf("just enough: %v", err)
	}
	if err := tryContext(t, map[string]any{"concurrency": reserved + fewAtOnce + workers - 1}); err == nil {
		t.Error("one less than the functions may use is not refused")
	}
}
