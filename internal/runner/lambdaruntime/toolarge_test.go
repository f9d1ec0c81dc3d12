package lambdaruntime

import (
	"strings"
	"testing"
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
		if after := invoke(t, f, `{}`); after.FunctionError != "" {
			t.Errorf("the next event got %q", after.ErrorMessage)
		}
	}
	if s := f.Stats(); s.Invocations != 4 {
		t.Errorf("%d invocations, want 4", s.Invocations)
	}
}
