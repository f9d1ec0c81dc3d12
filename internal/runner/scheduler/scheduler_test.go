package scheduler

import (
	"context"
	"encoding/json"
	"testing"
	"time"
)

func TestParseRate(t *testing.T) {
	for expression, want := range map[string]time.Duration{
		"rate(1 minute)": time.Minute, "rate(5 minutes)": 5 * time.Minute, "rate(2 hours)": 2 * time.Hour, "rate(1 days)": 24 * time.Hour,
		"rate(0 minutes)": 0, "rate(1 second)": 0, "rate(1minute)": 0, "rate(-1 minute)": 0, "rate(99999999999999999999 days)": 0,
		"rate(99999999 days)": 0, "cron(0 9 * * ? *)": 0, "at(2030-01-01T00:00:00)": 0, "": 0,
	} {
		got, err := ParseRate(expression)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("%s: %s, %v", expression, got, err)
		}
	}
}

func TestRunKeepsTheRate(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	ctx, cancel := context.WithCancel(t.Context())
	var fired []string
	s, err := New(Config{
		Name: "s", ARN: "arn", Expression: "rate(1 minute)", Input: `{"at":"<aws.scheduler.scheduled-time>","by":"<aws.scheduler.schedule-arn>"}`,
		Now: func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error {
			now = now.Add(d + 3*time.Second) // the machine is slow
			return ctx.Err()
		},
		Invoke: func(payload []byte) error {
			fired = append(fired, string(payload))
			if len(fired) == 3 {
				cancel()
			}
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(ctx)
	want := []string{`{"at":"2026-01-02T03:04:05Z","by":"arn"}`, `{"at":"2026-01-02T03:05:05Z","by":"arn"}`, `{"at":"2026-01-02T03:06:05Z","by":"arn"}`}
	for i := range want {
		if fired[i] != want[i] {
			t.Errorf("event %d: %s", i, fired[i])
		}
	}
}

func TestDefaultEvent(t *testing.T) {
	s, err := New(Config{Name: "s", ARN: "arn", Expression: "rate(1 hour)", Region: "us-east-1", AccountID: "000000000000"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := s.event(time.Unix(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil || fields["source"] != "aws.scheduler" || fields["time"] != "1970-01-01T00:00:00Z" {
		t.Errorf("%s: %v", raw, err)
	}
}
