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
	if killed, err := f.Kill(first); !killed || err != nil {
		t.Fatalf("killed %v, %v", killed, err)
	}
	if got := <-busy; got.FunctionError == "" || got.ErrorType != "Runtime.ExitError" || !strings.Contains(got.ErrorMessage, "killed") {
		t.Errorf("a killed process's invocation ended as %+v", got)
	}
	if after := invoke(t, f, `{}`); after.FunctionError != "" || after.PID == warm.PID || after.Count != 1 {
		t.Errorf("afterwards %+v, want another process than %d", after, warm.PID)
	}
}
