package lambdaruntime

import (
	"strings"
	"testing"
	"time"
)

func TestKill(t *testing.T) {
	f := function(t, nil)
	first := func(int) int { return 0 }
	if killed, err := f.Kill(first); killed || err != nil {
		t.Errorf("without a process: %v, %v", killed, err)
	}
	warm := invoke(t, f, `{}`)
	busy := make(chan answer)
	go func() { busy <- invoke(t, f, `{"Sleep":60000}`) }()
	for f.Stats().Idle > 0 { // until the invocation has the process
		time.Sleep(time.Millisecond)
	}
	idle := invoke(t, f, `{}`)
	if idle.PID == warm.PID {
		t.Fatalf("process %d serves two invocations at once", idle.PID)
	}
	only := func(n int) int { // the idle one is no choice
		if n != 1 {
			t.Errorf("a choice of %d processes, want the busy one", n)
		}
		return 0
	}
	if killed, err := f.Kill(only); !killed || err != nil {
		t.Fatalf("killed %v, %v", killed, err)
	}
	if got := <-busy; got.FunctionError == "" || got.ErrorType != "Runtime.ExitError" || !strings.Contains(got.ErrorMessage, "killed") {
		t.Errorf("a killed process's invocation ended as %+v", got)
	}
	if after := invoke(t, f, `{}`); after.PID != idle.PID || after.Count != 2 {
		t.Errorf("afterwards %+v, want process %d, which was idle", after, idle.PID)
	}
	if killed, err := f.Kill(first); !killed || err != nil {
		t.Errorf("where all are idle: %v, %v", killed, err)
	}
	for f.Stats().Environments > 0 { // until it has been noticed
		time.Sleep(time.Millisecond)
	}
	if after := invoke(t, f, `{}`); after.FunctionError != "" || after.PID == idle.PID {
		t.Errorf("afterwards %+v, want another process than %d", after, idle.PID)
	}
}
