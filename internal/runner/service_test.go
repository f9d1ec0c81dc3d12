package runner

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const serviceTemplate = "testdata/service/template.yaml"

// buildPoller builds the service's program once.
func buildPoller(t *testing.T) {
	t.Helper()
	build := exec.Command("go", "build", "-o", filepath.Join(built, "poller", "bootstrap"), "./testdata/service/functions/poller")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
}

func TestAServiceRunsAsProcesses(t *testing.T) {
	buildPoller(t)
	c, written := config(func(c *Config) { c.Template = serviceTemplate })
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	up := "poller: up " + s.queues[0].url + " " + s.AWSURL() + " us-east-1 2s"
	written.await(t, up)
	written.await(t, up)
	state := func(starts int) { // a process may be heard of before it is counted
		t.Helper()
		want := serviceState{ID: "Films", Folder: "poller", Desired: 2, Running: 2, Starts: starts}
		eventually(t, func() bool { got := stateOf(t, s).Services; return len(got) == 1 && got[0] == want })
	}
	state(2)

	killed, err := s.Kill("poller", func(n int) int {
		if n != 2 {
			t.Errorf("there are %d processes", n)
		}
		return 0
	})
	if !killed || err != nil {
		t.Fatal(killed, err)
	}
	written.await(t, up)
	state(3)

	if err := s.Close(); err != nil {
		t.Error(err)
	}
	written.await(t, "poller: drained")
	written.await(t, "poller: drained")
	if left := s.services[0].living(); len(left) != 0 {
		t.Errorf("%d processes are left", len(left))
	}
	if killed, err := s.Kill("Films", func(int) int { return 0 }); killed || err != nil {
		t.Errorf("killed %v, %v", killed, err)
	}
}

// Nobody polls a stack without sources; Only builds what is called.
func TestServicesThatDoNotRun(t *testing.T) {
	buildPoller(t)
	s, written := start(t, func(c *Config) { c.Template, c.WithoutSources = serviceTemplate, true })
	if got := stateOf(t, s).Services; len(got) != 1 || got[0].Running != 0 {
		t.Errorf("the state is %+v", got)
	}
	select {
	case line := <-written:
		t.Errorf("%s", line)
	case <-time.After(50 * time.Millisecond):
	}
}

func TestServicesThatCanNotRun(t *testing.T) {
	whole, err := os.ReadFile(serviceTemplate)
	if err != nil {
		t.Fatal(err)
	}
	for from, c := range map[string]struct{ to, want string }{
		"nightshift:function: poller":   {"something: else", "one container, and metadata"},
		"TaskDefinition: {Ref: Task}":   {"TaskDefinition: other", `no task definition "other"`},
		"        - Name: poller":        {"        - Name: sidecar\n        - Name: poller", "one container, and metadata"},
		"nightshift:function: poller\n": {"nightshift:function: missing\n", "is not built"},
	} {
		path := filepath.Join(t.TempDir(), "template.yaml")
		if err := os.WriteFile(path, []byte(strings.Replace(string(whole), from, c.to, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		config, _ := config(func(config *Config) { config.Template = path })
		s, err := Start(t.Context(), config)
		if err == nil {
			err = s.Close()
			t.Errorf("%s: it runs (%v)", c.to, err)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.to, err)
		}
	}
}
