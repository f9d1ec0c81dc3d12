package nightshifttest_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// A recorded is a test whose failures are looked at.
type recorded struct {
	testing.TB
	mu     sync.Mutex
	errors []string
}

func (r *recorded) Helper()                  {}
func (r *recorded) Output() io.Writer        { return io.Discard }
func (r *recorded) Context() context.Context { return context.Background() }
func (r *recorded) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorded) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// failure gives what a test says that has to fail.
func failure(t *testing.T, test func(t testing.TB)) string {
	t.Helper()
	r := &recorded{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	if len(r.errors) == 0 {
		t.Error("the test did not fail")
	}
	return strings.Join(r.errors, "\n")
}

// wantFailure fails unless the test fails and says all of this.
func wantFailure(t *testing.T, test func(t testing.TB), says ...string) {
	t.Helper()
	got := failure(t, test)
	for _, part := range says {
		if !strings.Contains(got, part) {
			t.Errorf("the failure\n%s\ndoes not say %q", got, part)
		}
	}
}

// What the tests' application does.
type (
	Mail struct {
		To   string `json:"to"`
		Body string `json:"body,omitempty"`
	}
	Sent struct {
		Receipt string `json:"receipt"`
	}
	Count struct {
		Shelf string `json:"shelf"`
		N     int    `json:"n"`
	}
	Receipt struct {
		ID string `json:"id"`
	}
)

var (
	mails  = job.Queue{Name: "mails", PeakArrivals: 5, ServiceTime: time.Second, LongestWait: time.Minute, Batch: 10}
	shelfs = job.Queue{Name: "shelves", PeakArrivals: 5, ServiceTime: time.Second, LongestWait: time.Minute, FIFO: true, Batch: 10}

	sendMail = job.DefineResult[Mail, Sent]("mail.send", job.Policy{Queue: mails, MaxAttempts: 3, Backoff: backoff.Policy{Wait: func(n int) time.Duration { return time.Duration(n) * time.Minute }}})
	index    = job.Define[Mail]("mail.index", job.Policy{Queue: mails, Timeout: 5 * time.Second})
	counting = job.Define[Count]("shelf.count", job.Policy{Queue: shelfs, MaxAttempts: 5, Backoff: backoff.Policy{Wait: func(int) time.Duration { return 2 * time.Second }}})
)

var errAway = errors.New("the mail server is away")

func sent(_ context.Context, j *job.Job[Mail]) (Sent, error) {
	return Sent{Receipt: "for " + j.Args.To}, nil
}
