package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/infra/samgen"
)

// need skips a test for want of a command, loudly; under CI=true that is a
// failure.
func need(t *testing.T, command, why string) string {
	t.Helper()
	path, err := exec.LookPath(command)
	if err == nil {
		return path
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: %s", command, why)
	}
	t.Skipf("SKIPPED: %s is missing: %s", command, why)
	return ""
}

func needNode(t *testing.T) {
	t.Helper()
	need(t, "node", "the AWS CDK runs on Node.js 20 or newer")
}

// synthesised is the stack, synthesised once for all tests.
var synthesised = sync.OnceValues(func() (*assembly, error) {
	scratch, err := os.MkdirTemp("", "infra-test")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	return synthesiseIn(scratch)
})

func synthesiseIn(scratch string) (*assembly, error) {
	assets := filepath.Join(scratch, "dist")
	if err := standIns("..", assets); err != nil {
		return nil, err
	}
	root, err := moduleRoot()
	if err != nil {
		return nil, err
	}
	return synthesise(root, assets, filepath.Join(scratch, "cdk.out"))
}

func crumbAssembly(t *testing.T) *assembly {
	t.Helper()
	needNode(t)
	made, err := synthesised()
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestSynthesisIsDeterministic(t *testing.T) {
	first := crumbAssembly(t)
	second, err := synthesiseIn(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.template, second.template) {
		t.Error("two syntheses of the same stack differ")
	}
}

// The cdk command and the app by itself give the same template.
func TestCommandGivesTheSameTemplate(t *testing.T) {
	needNode(t)
	cdk := need(t, filepath.Join("..", "scripts", "node_modules", ".bin", "cdk"), "install it by scripts/cdk --version")
	cdk, err := filepath.Abs(cdk)
	if err != nil {
		t.Fatal(err)
	}
	scratch := t.TempDir()
	assets := filepath.Join(scratch, "dist")
	if err := standIns("..", assets); err != nil {
		t.Fatal(err)
	}
	app := filepath.Join(scratch, "app")
	execute(t, nil, "go", "build", "-o", app, ".")
	byItself, byCommand := filepath.Join(scratch, "one"), filepath.Join(scratch, "two")
	execute(t, []string{"CDK_OUTDIR=" + byItself}, app, "-assets", assets)
	execute(t, []string{"CDK_DISABLE_CLI_TELEMETRY=true"}, cdk, "synth", "--quiet", "--app", app+" -assets "+assets, "--output", byCommand)

	name := stackName + ".template.json"
	one, err := os.ReadFile(filepath.Join(byItself, name))
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(filepath.Join(byCommand, name))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, two) {
		t.Error("the cdk command gives another template than the app by itself")
	}
	if !bytes.Equal(one, crumbAssembly(t).template) {
		t.Error("the app gives another template than the tests look at")
	}
}

func execute(t *testing.T, environment []string, name string, args ...string) string {
	t.Helper()
	command := exec.Command(name, args...)
	command.Env = append(os.Environ(), environment...)
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, output)
	}
	return string(output)
}

func TestAppAsksForTheBuild(t *testing.T) {
	needNode(t)
	err := tryWithout(t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without built functions: %v, want an error that says `make build`", err)
	}
}

// tryWithout synthesises from a folder without built functions.
func tryWithout(assets string) (err error) {
	defer recoverMistake(&err)
	root, err := moduleRoot()
	if err != nil {
		return err
	}
	_, err = synthesise(root, assets, filepath.Join(assets, "cdk.out"))
	return err
}

func TestSAMTemplateIsUpToDate(t *testing.T) {
	want, err := samgen.Generate(crumbAssembly(t).template)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "template.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("template.yaml is not what the stack gives: run `make template` and commit it")
	}
}

// The command's notes must say that the API lets everybody in.
func TestOpenAPIIsSaidOutLoud(t *testing.T) {
	said := strings.Join(crumbAssembly(t).notes, "\n")
	if !strings.Contains(said, "[Info at /Crumb/Api] this API has no authorizer") {
		t.Errorf("the notes are %q", said)
	}
}

func TestEveryFunctionIsInTheStack(t *testing.T) {
	functions := ofType(t, "AWS::Lambda::Function")
	for _, name := range names(t) {
		if id := constructs.ID(name) + "Function"; functions[id] == nil {
			t.Errorf("functions/%s is in the repository, and no %s in the stack", name, id)
		}
	}
}

// names are the programs in functions/.
func names(t *testing.T) []string {
	t.Helper()
	names, err := functionNames("..")
	if err != nil || len(names) < 9 {
		t.Fatalf("functions/ holds %v, %v", names, err)
	}
	return names
}

// functionCount is how many functions they make: the backstop's program is two, one for
// each kind of queue.
func functionCount(t *testing.T) int {
	t.Helper()
	return len(names(t)) + 1
}

func TestStackBreaksNoRule(t *testing.T) {
	if err := checkRules(crumbAssembly(t).template); err != nil {
		t.Error(err)
	}
}

// The rules see what they look for in the shape in which CDK writes it: each
// change to the real template is found.
func TestRulesSeeTheStack(t *testing.T) {
	type properties = map[string]any
	for _, c := range []struct {
		rule  string
		spoil func(of func(id string) properties, remove func(id string))
	}{
		{"visibility", func(of func(string) properties, _ func(string)) { of("BouncesQueue")["VisibilityTimeout"] = 50.0 }},
		{"visibility", func(of func(string) properties, _ func(string)) { of("BackstopFunction")["Timeout"] = 31.0 }},
		{"receives", func(of func(string) properties, _ func(string)) {
			of("PhotosQueue")["RedrivePolicy"].(properties)["maxReceiveCount"] = 1.0
		}},
		{"retention", func(of func(string) properties, _ func(string)) {
			of("BackstopQueue")["MessageRetentionPeriod"] = 3600.0
		}},
		{"batch-window", func(of func(string) properties, _ func(string)) { of("BouncesMapping")["BatchSize"] = 100.0 }},
		{"stream-setting", func(of func(string) properties, _ func(string)) {
			of("PhotosMapping")["StartingPosition"] = "LATEST"
		}},
		{"starting-position", func(of func(string) properties, _ func(string)) {
			delete(of("RelayMapping"), "StartingPosition")
		}},
		{"reserved-concurrency", func(of func(string) properties, _ func(string)) {
			of("PhotosFunction")["ReservedConcurrentExecutions"] = 89.0
		}},
		{"key-attribute", func(of func(string) properties, _ func(string)) {
			of("JobsTable")["AttributeDefinitions"] = of("JobsTable")["AttributeDefinitions"].([]any)[:3]
		}},
		{"stream-off", func(of func(string) properties, _ func(string)) {
			delete(of("JobsTable"), "StreamSpecification")
		}},
		{"filter-json", func(of func(string) properties, _ func(string)) {
			of("RelayMapping")["FilterCriteria"].(properties)["Filters"].([]any)[0].(properties)["Pattern"] = "publish"
		}},
		{"role-source", func(_ func(string) properties, remove func(string)) { remove("PhotosFunctionRoleDefaultPolicy") }},
		{"role-source", func(_ func(string) properties, remove func(string)) { remove("RelayFunctionRoleDefaultPolicy") }},
		{"api-function", func(_ func(string) properties, remove func(string)) {
			remove("ApiSiteRouteIntegrationPermission")
		}},
		{"datapoints", func(of func(string) properties, _ func(string)) {
			of("PhotosQueueAgeAlarm")["DatapointsToAlarm"] = 4.0
		}},
		{"stop-timeout", func(of func(string) properties, _ func(string)) {
			of("VideosServiceTask")["ContainerDefinitions"].([]any)[0].(properties)["StopTimeout"] = 60.0
		}},
		{"polled-visibility", func(of func(string) properties, _ func(string)) { delete(of("VideosQueue"), "VisibilityTimeout") }},
		{"public-ip", func(of func(string) properties, _ func(string)) {
			of("VideosServiceFargateService")["NetworkConfiguration"].(properties)["AwsvpcConfiguration"].(properties)["AssignPublicIp"] = "DISABLED"
		}},
		{"circuit-breaker", func(of func(string) properties, _ func(string)) {
			delete(of("VideosServiceFargateService"), "DeploymentConfiguration")
		}},
		{"schedule-expression", func(of func(string) properties, _ func(string)) {
			of("SweepSchedule")["ScheduleExpression"] = "cron(* * * * * *)"
		}},
		{"plan-concurrency", func(of func(string) properties, _ func(string)) {
			of("FeedsMapping")["ScalingConfig"].(properties)["MaximumConcurrency"] = 9.0
		}},
		{"plan-pollers", func(of func(string) properties, _ func(string)) {
			of("VideosServiceFargateService")["DesiredCount"] = 1.0
		}},
		{"plan-times", func(of func(string) properties, _ func(string)) {
			of("ExportsQueue")["MessageRetentionPeriod"] = 3600.0
		}},
		{"plan-age", func(of func(string) properties, _ func(string)) { of("VideosQueueAgeAlarm")["Threshold"] = 600.0 }},
		{"plan-letters", func(of func(string) properties, _ func(string)) { of("PdfsDeadLettersAlarm")["Threshold"] = 1.0 }},
		{"plan-utilisation", func(_ func(string) properties, remove func(string)) { remove("SearchUtilisationAlarm") }},
		{"plan-utilisation", func(of func(string) properties, _ func(string)) {
			of("PhotosUtilisationAlarm")["Metrics"].([]any)[0].(properties)["Expression"] = "100 * busy / 26700000"
		}},
		{"plan-refusals", func(of func(string) properties, _ func(string)) { of("PhotosRefusalsAlarm")["Threshold"] = 0.0 }},
	} {
		var template struct{ Resources map[string]properties }
		if err := json.Unmarshal(crumbAssembly(t).template, &template); err != nil {
			t.Fatal(err)
		}
		c.spoil(
			func(id string) properties { return template.Resources[id]["Properties"].(properties) },
			func(id string) { delete(template.Resources, id) })
		raw, err := json.Marshal(template)
		if err != nil {
			t.Fatal(err)
		}
		found := checkRules(raw)
		if found == nil {
			t.Errorf("%s: not found", c.rule)
			continue
		}
		for finding := range strings.SplitSeq(found.Error(), "\nrules: ") {
			if !strings.Contains(finding, ": "+c.rule+": ") {
				t.Errorf("%s: found %v", c.rule, finding)
			}
		}
	}
}
