package main

import (
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	for text, want := range map[string]time.Time{
		"2026-03-01": time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), "2026-03-01T09:00:00Z": time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
		"36h": time.Now().Add(-36 * time.Hour), "0s": time.Now(),
	} {
		var got time.Time
		var flags stackFlags
		if err := flags.timeFlag(&got)(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		for _, f := range flags.opened {
			f(&stack{})
		}
		if got.Sub(want).Abs() > time.Minute {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if err := new(stackFlags).timeFlag(new(time.Time))("yesterday"); err == nil {
		t.Error("yesterday is taken for a time")
	}
}

// What is so long ago is so by the clock of the stack.
func TestTimesOfAStackThatIsAhead(t *testing.T) {
	ahead := time.Now().Add(100 * time.Hour)
	var since time.Time
	var flags stackFlags
	if err := flags.timeFlag(&since)("36h"); err != nil {
		t.Fatal(err)
	}
	s := &stack{clock: func() time.Time { return ahead }}
	for _, f := range flags.opened {
		f(s)
	}
	if want := ahead.Add(-36 * time.Hour); !since.Equal(want) || !s.here().now.Equal(ahead) {
		t.Errorf("36 hours ago was %v, want %v", since, want)
	}
}

func TestSpansAndDistances(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		-time.Minute: "0s", 0: "0s", 999 * time.Millisecond: "0s", 59 * time.Second: "59s", time.Minute: "1m", 61 * time.Second: "1m 1s",
		time.Hour + 59*time.Second: "1h", 2*time.Hour + 5*time.Minute: "2h 5m", day - time.Second: "23h 59m", 3*day + 4*time.Hour + time.Minute: "3d 4h", 400 * day: "400d",
	} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
	v := viewpoint{time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC), time.FixedZone("CEST", 2*3600)}
	for d, want := range map[time.Duration]string{
		0: "2026-07-01 14:00:00 CEST (now)", 999 * time.Millisecond: "2026-07-01 14:00:00 CEST (now)", -2 * time.Second: "2026-07-01 13:59:58 CEST (2s ago)",
		11 * time.Hour: "2026-07-02 01:00:00 CEST (in 11h)",
	} {
		if got := v.moment(v.now.Add(d)); got != want {
			t.Errorf("%v away: %q, want %q", d, got, want)
		}
	}
	if got := v.moment(time.Time{}); got != "" {
		t.Errorf("no time: %q", got)
	}
}
