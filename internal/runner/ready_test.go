package runner

import (
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// A message keeps the clock from flying from the moment in which it can be received until
// its receiver has said that it works, or had the time to.
func TestReadiness(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock.json")
	synctest.Test(t, func(t *testing.T) {
		c, err := clock.Open(clock.Config{Path: path, Scale: 600})
		if err != nil {
			t.Fatal(err)
		}
		r := readiness{clock: c}
		flies := func(what string, want bool) {
			t.Helper()
			time.Sleep(clock.DefaultGrace + time.Millisecond)
			if got := c.Read().Pace > 1; got != want {
				t.Errorf("%s: it flies: %v", what, got)
			}
		}
		r.tell("unpolled", true)
		r.tell("q", true)
		flies("nobody polls", true)
		r.watch("q")
		flies("a message waits", false)
		r.tell("q", false)
		flies("it was received", false)
		r.handed("q")
		flies("it is in hand", true)
		r.tell("q", true)
		r.tell("q", false)
		r.tell("q", true)
		time.Sleep(2 * linger)
		flies("another one waits", false)
		r.handed("q")
		flies("and still", false)
		r.tell("q", false)
		time.Sleep(linger)
		flies("who received it says nothing", true)
		r.handed("q") // too late
		stirred := 0
		r.reads(func() { stirred++ })
		if r.written(); stirred != 1 {
			t.Errorf("a reader was told %d times", stirred)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
