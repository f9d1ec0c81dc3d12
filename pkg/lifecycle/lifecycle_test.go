package lifecycle_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

var now = time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)

func TestRefused(t *testing.T) {
	lease := now.Add(-lifecycle.LeaseMargin)
	tests := []struct {
		name  string
		row   lifecycle.Row
		want  lifecycle.Finding
		until time.Time
	}{
		{"no row", lifecycle.Row{}, lifecycle.Missing, time.Time{}},
		{"expired but not yet deleted", lifecycle.Row{State: lifecycle.Done, Expires: now}, lifecycle.Missing, time.Time{}},
		{"done", lifecycle.Row{State: lifecycle.Done, Expires: now.Add(time.Second)}, lifecycle.Finished, time.Time{}},
		{"dead", lifecycle.Row{State: lifecycle.Dead}, lifecycle.Finished, time.Time{}},
		{"cancelled", lifecycle.Row{State: lifecycle.Cancelled}, lifecycle.Finished, time.Time{}},
		{"scheduled", lifecycle.Row{State: lifecycle.Scheduled}, lifecycle.Finished, time.Time{}},
		{"answer lost", lifecycle.Row{State: lifecycle.Running, Token: "mine"}, lifecycle.Mine, time.Time{}},
		{"running elsewhere", lifecycle.Row{State: lifecycle.Running, Token: "other", LeaseUntil: now}, lifecycle.Busy, now.Add(lifecycle.LeaseMargin)},
		{"lease just ended", lifecycle.Row{State: lifecycle.Running, Token: "other", LeaseUntil: lease.Add(time.Millisecond)}, lifecycle.Busy, now.Add(time.Millisecond)},
		{"lease ended with its margin", lifecycle.Row{State: lifecycle.Running, Token: "other", LeaseUntil: lease}, lifecycle.Orphaned, time.Time{}},
		{"not before its time", lifecycle.Row{State: lifecycle.Queued, NotBefore: now.Add(2 * time.Second)}, lifecycle.Early, now.Add(2 * time.Second)},
		{"a suspect among others", lifecycle.Row{State: lifecycle.Queued, Suspect: true}, lifecycle.Suspect, time.Time{}},
		{"a suspect before its time", lifecycle.Row{State: lifecycle.Queued, Suspect: true, NotBefore: now.Add(time.Minute)}, lifecycle.Early, now.Add(time.Minute)},
		{"a second early is on time", lifecycle.Row{State: lifecycle.Queued, NotBefore: now.Add(time.Second)}, lifecycle.Contended, time.Time{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, until := lifecycle.Refused(tt.row, "mine", false, now)
			if got != tt.want || !until.Equal(tt.until) {
				t.Errorf("Refused = %v until %v, want %v until %v", got, until, tt.want, tt.until)
			}
		})
	}
}

func TestTakeOver(t *testing.T) {
	tests := []struct {
		name string
		row  lifecycle.Row
		want lifecycle.Takeover
	}{
		{"died among others: the attempt is given back", lifecycle.Row{Attempt: 1, MaxAttempts: 3}, lifecycle.Takeover{To: lifecycle.Running, Attempt: 1}},
		{"died among others in the last attempt", lifecycle.Row{Attempt: 3, MaxAttempts: 3}, lifecycle.Takeover{To: lifecycle.Running, Attempt: 3}},
		{"died alone: the attempt is spent", lifecycle.Row{Attempt: 1, MaxAttempts: 3, Alone: true}, lifecycle.Takeover{To: lifecycle.Running, Attempt: 2, Deaths: 1}},
		{"died alone in the last attempt", lifecycle.Row{Attempt: 3, MaxAttempts: 3, Alone: true, Deaths: 2}, lifecycle.Takeover{To: lifecycle.Dead, Attempt: 3, Deaths: 3}},
		{"cancellation was asked for", lifecycle.Row{Attempt: 1, MaxAttempts: 3, CancelRequested: true}, lifecycle.Takeover{To: lifecycle.Cancelled, Attempt: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := lifecycle.TakeOver(tt.row); got != tt.want {
				t.Errorf("TakeOver = %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestEnded(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name    string
		attempt lifecycle.Attempt
		err     error
		to      lifecycle.State
		wait    time.Duration
		back    bool
	}{
		{"success", lifecycle.Attempt{Number: 1, Max: 3}, nil, lifecycle.Done, 0, false},
		{"failure", lifecycle.Attempt{Number: 1, Max: 3}, boom, lifecycle.Queued, 7500 * time.Millisecond, false},
		{"last failure", lifecycle.Attempt{Number: 3, Max: 3}, boom, lifecycle.Dead, 0, false},
		{"beyond the last", lifecycle.Attempt{Number: 4, Max: 3}, boom, lifecycle.Dead, 0, false},
		{"permanent", lifecycle.Attempt{Number: 1, Max: 3}, job.Fail(boom), lifecycle.Dead, 0, false},
		{"permanent, wrapped", lifecycle.Attempt{Number: 1, Max: 3}, fmt.Errorf("resizing: %w", job.Fail(boom)), lifecycle.Dead, 0, false},
		{"discarded", lifecycle.Attempt{Number: 1, Max: 3}, job.Discard("gone"), lifecycle.Cancelled, 0, false},
		{"continued", lifecycle.Attempt{Number: 3, Max: 3}, job.Continue(7), lifecycle.Queued, 0, true},
		{"snoozed", lifecycle.Attempt{Number: 3, Max: 3}, job.Snooze(time.Minute), lifecycle.Queued, time.Minute, true},
		{"snoozed for long", lifecycle.Attempt{Number: 1, Max: 3}, job.Snooze(time.Hour), lifecycle.Scheduled, time.Hour, true},
		{"snoozed for long in a FIFO queue", lifecycle.Attempt{Number: 1, Max: 3, FIFO: true}, job.Snooze(time.Hour), lifecycle.Queued, time.Hour, true},
		{"server says when", lifecycle.Attempt{Number: 1, Max: 3}, job.RetryAfter(time.Minute, boom), lifecycle.Queued, time.Minute, false},
		{"server says in centuries", lifecycle.Attempt{Number: 1, Max: 3}, job.RetryAfter(math.MaxInt64, boom), lifecycle.Scheduled, lifecycle.LongestWait, false},
		{"snoozed for centuries", lifecycle.Attempt{Number: 1, Max: 3}, job.Snooze(math.MaxInt64), lifecycle.Scheduled, lifecycle.LongestWait, true},
		{"server says sooner than the policy", lifecycle.Attempt{Number: 1, Max: 3}, job.RetryAfter(time.Second, boom), lifecycle.Queued, 7500 * time.Millisecond, false},
		{"server says when, no attempt left", lifecycle.Attempt{Number: 3, Max: 3}, job.RetryAfter(time.Minute, boom), lifecycle.Dead, 0, false},
		{"a late attempt waits in the table", lifecycle.Attempt{Number: 20, Max: 25}, boom, lifecycle.Scheduled, 48 * time.Hour, false},
		{"no overflow", lifecycle.Attempt{Number: math.MaxInt - 1, Max: math.MaxInt}, boom, lifecycle.Scheduled, 48 * time.Hour, false},
		{"time was up", lifecycle.Attempt{Number: 1, Max: 3}, context.DeadlineExceeded, lifecycle.Queued, 7500 * time.Millisecond, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := lifecycle.Ended(tt.attempt, tt.err, func() float64 { return 0.5 })
			if got.To != tt.to || got.Wait != tt.wait || got.GiveBack != tt.back {
				t.Errorf("Ended = %+v, want to=%v wait=%v give back=%v", got, tt.to, tt.wait, tt.back)
			}
		})
	}
}

func TestTimeoutHasItsCode(t *testing.T) {
	got := lifecycle.Ended(lifecycle.Attempt{Number: 1, Max: 2}, fmt.Errorf("reading: %w", context.DeadlineExceeded), func() float64 { return 0.5 })
	if code := job.ErrorCode(got.Err); code != "timeout" {
		t.Errorf("code %q, want timeout", code)
	}
}

type codedError struct{ error }

func (codedError) ErrorCode() string { return "bank_slow" }
func (e codedError) Unwrap() error   { return e.error }

// The time of one call that the handler made may be up, and it says so.
func TestAnErrorWithACodeOfItsOwnKeepsIt(t *testing.T) {
	got := lifecycle.Ended(lifecycle.Attempt{Number: 1, Max: 2}, codedError{context.DeadlineExceeded}, func() float64 { return 0.5 })
	if code := job.ErrorCode(got.Err); code != "bank_slow" {
		t.Errorf("code %q", code)
	}
}

// Waits are spent where they can be: SQS holds a message back for 15 minutes.
func TestLongestDelayIsTheBorder(t *testing.T) {
	policy := backoff.Policy{Wait: func(int) time.Duration { return lifecycle.LongestDelay }}
	a := lifecycle.Attempt{Number: 1, Max: 2, Backoff: policy}
	if got := lifecycle.Ended(a, errors.New("boom"), nil); got.To != lifecycle.Queued {
		t.Errorf("15 minutes: %v, want queued", got.To)
	}
	if got := lifecycle.Ended(a, job.RetryAfter(lifecycle.LongestDelay+1, errors.New("boom")), nil); got.To != lifecycle.Scheduled {
		t.Errorf("longer: %v, want scheduled", got.To)
	}
}

func TestLegal(t *testing.T) {
	tests := []struct {
		from, to lifecycle.State
		want     bool
	}{
		{lifecycle.Queued, lifecycle.Running, true},
		{lifecycle.Running, lifecycle.Done, true},
		{lifecycle.Dead, lifecycle.Queued, true},
		{lifecycle.Done, lifecycle.Queued, false},
		{lifecycle.Done, lifecycle.Running, false},
		{lifecycle.Cancelled, lifecycle.Running, false},
		{lifecycle.Queued, lifecycle.Done, false},
		{lifecycle.Scheduled, lifecycle.Running, false},
		{lifecycle.Running, lifecycle.None, false},
	}
	for _, tt := range tests {
		if got := lifecycle.Legal(tt.from, tt.to); got != tt.want {
			t.Errorf("Legal(%q, %q) = %v, want %v", tt.from, tt.to, got, tt.want)
		}
	}
}
