package main

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

func TestTimeScalesThatAreNone(t *testing.T) {
	for _, scale := range []string{"0", "-1", "0.5", "NaN", "Inf", "-Inf", "1e9", "100001"} {
		got := nightshift(t, "", "dev", "--time-scale", scale, "--template", template, "--data", ":memory:")
		if got.code != exitMisuse || got.out != "" || !strings.Contains(got.err, "it is from 1 to 100000") {
			t.Errorf("--time-scale %s: %+v", scale, got)
		}
	}
	for _, text := range []string{"fast", "", "600x"} {
		if got := nightshift(t, "", "dev", "--time-scale", text); got.code != exitMisuse || !strings.Contains(got.err, "time-scale") {
			t.Errorf("--time-scale %q: %+v", text, got)
		}
	}
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
	got := nightshift(t, "", "dev", "--time-scale", "600", "--template", template, "--data", ":memory:", "--http", "127.0.0.1:0")
	if got.code != exitFailure || !strings.Contains(got.err, "leave out --time-scale, or AWS_ENDPOINT_URL") {
		t.Errorf("with another endpoint: %+v", got)
	}
}

func TestTellTime(t *testing.T) {
	machine := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		ahead time.Duration
		scale float64
		want  string
	}{
		{0, 1, ""},
		{time.Millisecond, 600, "the stack's time is 2026-03-02T09:00:00Z; while nobody works it passes 600 times as fast"},
		{36 * time.Hour, 1, "the stack's time is 2026-03-03T21:00:00Z, 36h0m0s ahead of the machine's, as its data is"},
		{time.Hour, 1.5, "the stack's time is 2026-03-02T10:00:00Z, 1h0m0s ahead of the machine's, as its data is; while nobody works it passes 1.5 times as fast"},
	} {
		if got := tellTime(clock.Reading{Now: machine.Add(c.ahead), Scale: c.scale}, machine); got != c.want {
			t.Errorf("%v ahead, scale %v: %q, want %q", c.ahead, c.scale, got, c.want)
		}
	}
}
