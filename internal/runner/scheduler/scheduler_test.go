package scheduler

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/schedule"
)

// A world is a clock that goes on when somebody sleeps, a data folder, and a target.
type world struct {
	t      *testing.T
	cancel context.CancelFunc

	mu      sync.Mutex
	now     time.Time
	saved   map[string]string
	fired   []string // scheduled times
	letters []map[string]string
	log     []string
	refuse  []error // of the next deliveries
	hold    bool    // deliveries are accepted and don't end
	until   time.Time
	end     map[string]func() // of what is held
}

func newWorld(t *testing.T, now string) *world {
	w := &world{t: t, now: at(t, now), saved: map[string]string{}, end: map[string]func(){}}
	w.until = w.now.Add(1000 * time.Hour)
	return w
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func (w *world) Load(kind, name string) (string, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.saved[kind+"/"+name], nil
}

func (w *world) Save(kind, name, state string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saved[kind+"/"+name] = state
	return nil
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// sleep lets the time pass at once, up to until: then the process is killed.
func (w *world) sleep(ctx context.Context, d time.Duration) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now.Add(d).After(w.until) {
		w.cancel()
		return context.Canceled
	}
	w.now = w.now.Add(d)
	return ctx.Err()
}

func (w *world) deliver(_ context.Context, payload []byte, concluded func()) error {
	var event struct{ At, Attempt string }
	if err := json.Unmarshal(payload, &event); err != nil {
		w.t.Error(err)
	}
	end, err := w.take(event.At + " " + event.Attempt)
	if err != nil {
		return err
	}
	if end {
		concluded()
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end[event.At] = concluded
	return nil
}

// take notes a delivery, unless it is refused, and tells whether it ends at once.
func (w *world) take(what string) (end bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.refuse) > 0 {
		err := w.refuse[0]
		w.refuse = w.refuse[1:]
		return false, err
	}
	w.fired = append(w.fired, what)
	return !w.hold, nil
}

func (w *world) config(expression string) Config {
	return Config{
		Name: "s", ARN: "arn", Expression: expression, Input: `{"at":"<aws.scheduler.scheduled-time>","attempt":"<aws.scheduler.attempt-number>"}`,
		TargetARN: "target", Deliver: w.deliver, States: w, Now: w.clock, Sleep: w.sleep,
		DeadLetter: func(_ context.Context, payload []byte, attributes map[string]string) error {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.letters = append(w.letters, attributes)
			return nil
		},
		Log: func(message string) { w.mu.Lock(); w.log = append(w.log, message); w.mu.Unlock() },
	}
}

// run lets a schedule run until a time, at which its process is killed, or until it
// ends by itself.
func (w *world) run(config Config, until string) {
	w.t.Helper()
	s, err := New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	w.mu.Lock()
	w.until, w.cancel = at(w.t, until), cancel
	w.mu.Unlock()
	s.Run(ctx)
	w.mu.Lock()
	if w.now.Before(w.until) && ctx.Err() != nil {
		w.now = w.until
	}
	w.mu.Unlock()
}

func (w *world) want(times ...string) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.Sort(w.fired)
	if !slices.Equal(w.fired, times) {
		w.t.Fatalf("fired %q, want %q; log %q", w.fired, times, w.log)
	}
	w.fired = nil
}

func TestRateFiresAtOnceAndKeepsStep(t *testing.T) {
	w := newWorld(t, "2026-01-02T03:04:05.25Z")
	w.run(w.config("rate(1 minute)"), "2026-01-02T03:06:30Z")
	w.want("2026-01-02T03:04:05Z 1", "2026-01-02T03:05:05Z 1", "2026-01-02T03:06:05Z 1")
	w.run(w.config("rate(1 minute)"), "2026-01-02T03:08:00Z") // killed and back at once
	w.want("2026-01-02T03:07:05Z 1")
	w.now = at(t, "2026-01-02T06:00:00Z") // down for hours: the latest alone
	w.run(w.config("rate(1 minute)"), "2026-01-02T06:00:10Z")
	w.want("2026-01-02T05:59:05Z 1", "2026-01-02T06:00:05Z 1")
	if !strings.Contains(strings.Join(w.log, "\n"), "passed over") {
		t.Errorf("nobody was told of what was passed over: %q", w.log)
	}
	w.run(w.config("rate(2 minutes)"), "2026-01-02T06:01:00Z") // another schedule begins anew
	w.want("2026-01-02T06:00:10Z 1")
}

func TestCronInItsZone(t *testing.T) {
	w := newWorld(t, "2026-10-24T07:00:00.5Z") // a moment late for that day
	config := w.config("cron(0 9 * * ? *)")
	config.Zone = "Europe/Berlin"
	w.run(config, "2026-10-26T09:00:00Z")
	w.want("2026-10-25T08:00:00Z 1", "2026-10-26T08:00:00Z 1")
}

func TestOnce(t *testing.T) {
	completed := 0
	w := newWorld(t, "2026-01-02T03:00:00Z")
	config := w.config("at(2026-01-02T03:04:05)")
	config.Completed = func() { completed++ }
	w.run(config, "2026-01-02T03:04:00Z")
	w.want()
	w.run(config, "2026-01-02T04:00:00Z")
	w.want("2026-01-02T03:04:05Z 1")
	w.run(config, "2026-01-03T04:00:00Z")
	w.want()
	if completed != 2 { // once more by the start after its end
		t.Errorf("completed %d times", completed)
	}
	w = newWorld(t, "2026-01-02T03:04:05.1Z")
	w.run(w.config("at(2026-01-02T03:04:05)"), "2027-01-01T00:00:00Z")
	w.want() // its time had passed when it was made
}

func TestOnceIsNotMissedInShortDowntime(t *testing.T) {
	for back, want := range map[string][]string{
		"2026-01-02T05:00:00Z": {"2026-01-02T03:04:05Z 1"},
		"2026-01-03T05:00:00Z": nil, // older than the event age of a day
	} {
		w := newWorld(t, "2026-01-02T03:00:00Z")
		w.run(w.config("at(2026-01-02T03:04:05)"), "2026-01-02T03:01:00Z")
		w.now = at(t, back)
		w.run(w.config("at(2026-01-02T03:04:05)"), "2027-01-01T00:00:00Z")
		w.want(want...)
	}
}

// A process that is killed while the function runs hands that occurrence over
// again, and no other.
func TestKilledWhileRunning(t *testing.T) {
	w := newWorld(t, "2026-01-02T03:00:00Z")
	w.hold = true
	w.run(w.config("rate(1 hour)"), "2026-01-02T04:30:00Z")
	w.want("2026-01-02T03:00:00Z 1", "2026-01-02T04:00:00Z 1")
	w.end["2026-01-02T03:00:00Z"]() // the first ended before the kill was noticed
	w.hold = false
	w.run(w.config("rate(1 hour)"), "2026-01-02T05:30:00Z")
	w.want("2026-01-02T04:00:00Z 1", "2026-01-02T05:00:00Z 1")
	w.run(w.config("rate(1 hour)"), "2026-01-02T05:40:00Z")
	w.want()
}

func TestBounds(t *testing.T) {
	w := newWorld(t, "2026-01-02T03:00:30Z")
	config := w.config("rate(1 hour)")
	config.Start, config.End = at(t, "2026-01-02T01:15:00Z"), at(t, "2026-01-02T05:15:00Z")
	config.Completed = func() { w.log = append(w.log, "completed") }
	w.run(config, "2026-01-03T00:00:00Z")
	w.want("2026-01-02T03:15:00Z 1", "2026-01-02T04:15:00Z 1") // in step with a start that has passed
	if !slices.Contains(w.log, "completed") {
		t.Error("its end was not noticed")
	}
	w = newWorld(t, "2026-01-02T03:00:30Z")
	config = w.config("cron(0 * * * ? *)")
	config.Start = at(t, "2026-01-02T05:00:00Z")
	w.run(config, "2026-01-02T06:30:00Z")
	w.want("2026-01-02T05:00:00Z 1", "2026-01-02T06:00:00Z 1")
}

func TestTargetThatCantBeReached(t *testing.T) {
	away, attempts := errors.New("away"), 2
	for _, c := range []struct {
		name      string
		refuse    []error
		retry     Retry
		fired     []string
		retries   string
		condition string
	}{
		{"back soon", []error{away, away}, Retry{}, []string{"2026-01-02T03:00:00Z 3"}, "", ""},
		{"attempts", []error{away, away, away}, Retry{Attempts: &attempts}, nil, "2", "MaximumRetryAttempts"},
		{"age", slices.Repeat([]error{away}, 30), Retry{Age: time.Minute}, nil, "5", "MaximumEventAgeInSeconds"},
		{"not there", []error{ErrFinal}, Retry{}, nil, "0", ""},
	} {
		w := newWorld(t, "2026-01-02T03:00:00Z")
		w.refuse = c.refuse
		config := w.config("at(2026-01-02T03:00:00)")
		config.Retry = c.retry
		w.run(config, "2026-01-04T00:00:00Z")
		w.want(c.fired...)
		if c.retries == "" {
			continue
		}
		if len(w.letters) != 1 {
			t.Fatalf("%s: letters %v", c.name, w.letters)
		}
		letter := w.letters[0]
		if letter["RETRY_ATTEMPTS"] != c.retries || letter["EXHAUSTED_RETRY_CONDITION"] != c.condition || letter["TARGET_ARN"] != "target" || letter["SCHEDULED_TIME"] != "2026-01-02T03:00:00Z" {
			t.Errorf("%s: %v", c.name, letter)
		}
		w.run(config, "2026-01-05T00:00:00Z")
		w.want() // given up for good
	}
}

func TestEvents(t *testing.T) {
	when := time.Unix(0, 0)
	for _, rule := range []bool{false, true} {
		s, err := New(Config{Name: "s", ARN: "arn", Expression: "rate(1 hour)", Rule: rule, Region: "us-east-1", AccountID: "000000000000"})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.event(when, 1)
		if err != nil {
			t.Fatal(err)
		}
		var fields map[string]any
		if err := json.Unmarshal(e.payload, &fields); err != nil || fields["time"] != "1970-01-01T00:00:00Z" || fields["detail-type"] != "Scheduled Event" {
			t.Errorf("%s: %v", e.payload, err)
		}
		if _, isObject := fields["detail"].(map[string]any); isObject != rule || (fields["source"] == "aws.events") != rule {
			t.Errorf("rule %v: %s", rule, e.payload)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, config := range []Config{
		{Expression: "cron(0 9 * * MON *)"}, {Expression: "rate(5 minutes)", Zone: "Mars/Base"},
		{Expression: "rate(1 minutes)", Rule: true}, {Expression: "at(2026-01-01T00:00:00)", Rule: true},
	} {
		_, err := New(config)
		var refused *schedule.Error
		if !errors.As(err, &refused) {
			t.Errorf("%+v: %v", config, err)
		}
	}
	if _, err := New(Config{Expression: "rate(1 hour)", Input: strings.Repeat("x", MaxInput+1)}); err == nil {
		t.Error("a large input is taken")
	}
}

func TestBrokenState(t *testing.T) {
	w := newWorld(t, "2026-01-02T03:00:00Z")
	w.saved["schedule/s"] = "{"
	w.run(w.config("rate(1 hour)"), "2026-01-02T05:00:00Z")
	w.want()
	if len(w.log) != 1 || !strings.Contains(w.log[0], "does not run") {
		t.Errorf("%q", w.log)
	}
}
