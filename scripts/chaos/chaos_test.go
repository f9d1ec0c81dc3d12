package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// built is where the functions' programs are, which the tests share.
var built string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if built, err = os.MkdirTemp("", "chaos-functions-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(built)
		return m.Run()
	}())
}

// build builds the programs once.
var build = sync.OnceValue(func() error {
	for _, name := range []string{"front", "relay", "sweep", "backstop", "worker"} {
		command := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", filepath.Join(built, name, "bootstrap"), "./functions/"+name)
		command.Env = append(os.Environ(), "CGO_ENABLED=0")
		if output, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("building functions/%s: %w\n%s", name, err, output)
		}
	}
	return nil
})

// testConfig is for a stack of a test's own. What is logged is in the file.
func testConfig(t *testing.T) (config, *os.File) {
	t.Helper()
	if testing.Short() {
		t.Skip("half a minute of processes")
	}
	if err := build(); err != nil {
		t.Fatal(err)
	}
	logged, err := os.Create(filepath.Join(t.TempDir(), "log.txt"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = logged.Close() }) // read by then
	c := config{template: "template.yaml", build: built, prebuilt: true, workers: 8}
	c.log, c.lines = logTo(logged)
	return c, logged
}

// longest is how long a stack may take to come to rest, on the slowest of machines.
const longest = 8 * time.Minute

// TestChaos is a short run of what `make chaos` does at length, and of one seed always:
// other seeds are that command's.
func TestChaos(t *testing.T) {
	t.Parallel()
	c, logged := testConfig(t)
	c.pollers = 1
	o, err := run(t.Context(), setup{seed: 1, jobs: 300, lasts: 8 * time.Second, settle: longest, config: c}, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	o.print(&report)
	t.Log(report.String())
	for _, v := range o.violations {
		t.Errorf("%s: %s: %s", v.id, v.rule, v.text)
	}
	if t.Failed() {
		if err := o.write(t.ArtifactDir(), logged.Name()); err != nil {
			t.Error(err)
		}
	}
	if o.tally.accepted != 300 || o.tally.done == 0 || o.tally.dead != 6 {
		t.Errorf("the run did little: %+v", o.tally)
	}
}
