package lambdaruntime

import (
	"strings"
	"testing"
	"time"
)

// An answer over the limit is one error, which names the limit, however the
// function's own runtime goes on to complain; the next event is served as if
// nothing had been.
func TestATooLargeAnswerIsOneError(t *testing.T) {
	f := function(t, func(c *Config) { c.Concurrency = 1 })
	for range 2 {
		got := invoke(t, f, `{"Size":7000000}`)
		if got.FunctionError != "Unhandled" || got.ErrorType != "Function.ResponseSizeTooLarge" || !strings.Contains(got.ErrorMessage, "6291556 bytes") {
			t.Errorf("got %q %q", got.ErrorType, got.ErrorMessage)
		}
		// The process still hears that its answer was refused; it is free after that.
		for s := f.Stats(); s.Environments > 0 && s.Idle == 0; s = f.Stats() {
			time.Sleep(time.Millisecond)
		}
		if after := invoke(t, f, `{}`); after.FunctionError != "" {
			t.Errorf("the next event got %q", after.ErrorMessage)
		}
	}
	if s := f.Stats(); s.Invocations != 4 {
		t.Errorf("%d invocations, want 4", s.Invocations)
	}
}
