package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/client"
)

var (
	middle = func() float64 { return 0.5 }
	down   = client.Answer{Temporary: true}
)

// Whatever the outage, the retries that nobody asked for stay within the budget's
// formula, and come near it: a client that is asked a lot is no storm.
func TestTheBudgetsFormula(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for _, p := range []client.RetryPolicy{{}, {Share: 0.2, Floor: 5}, {Share: 1, Floor: 1}, {Share: 0.01, Floor: 100}} {
		now := epoch
		budget := p.NewBudget(func() time.Time { return now })
		share, floor := p.Share, p.Floor
		if share == 0 {
			share, floor = client.DefaultShare, client.DefaultFloor
		}
		requests, retries := 0, 0
		for range 20_000 {
			now = now.Add(time.Duration(random.ExpFloat64() * float64(50*time.Millisecond)))
			requests++
			budget.Sent()
			for attempt := 1; p.Next(attempt, down, budget, random.Float64).Again; attempt++ {
				retries++
			}
			most := float64(floor)*(1+now.Sub(epoch).Minutes()) + share*float64(requests)
			if float64(retries) > most+1e-6 {
				t.Fatalf("%+v: %d retries after %d requests in %v; at most %.1f", p, retries, requests, now.Sub(epoch), most)
			}
		}
		if most := float64(floor)*(1+now.Sub(epoch).Minutes()) + share*float64(requests); float64(retries) < most*0.6 {
			t.Errorf("%+v: %d retries only, of %.1f", p, retries, most)
		}
	}
}

func TestNext(t *testing.T) {
	asks := func(d time.Duration) client.Answer {
		return client.Answer{Temporary: true, Asked: true, RetryAfter: d}
	}
	for name, c := range map[string]struct {
		attempt int
		answer  client.Answer
		want    client.Step
	}{
		"no answer":                   {1, down, client.Step{Again: true, Wait: 250 * time.Millisecond}},
		"again":                       {4, down, client.Step{Again: true, Wait: 2 * time.Second}},
		"the server's floor":          {1, asks(time.Minute), client.Step{Again: true, Wait: time.Minute + 250*time.Millisecond}},
		"at once":                     {1, asks(0), client.Step{Again: true, Wait: 250 * time.Millisecond}},
		"nonsense":                    {1, asks(-time.Hour), client.Step{Again: true, Wait: 250 * time.Millisecond}},
		"the last attempt":            {8, down, client.Step{Reason: client.OutOfAttempts, Wait: 10 * time.Second}},
		"the last attempt, and floor": {8, asks(time.Minute), client.Step{Reason: client.OutOfAttempts, Wait: 70 * time.Second}},
		"too long":                    {1, asks(time.Hour), client.Step{Reason: client.OutOfTime, Wait: time.Hour + 10*time.Second}},
		"for ever":                    {1, asks(math.MaxInt64), client.Step{Reason: client.OutOfTime, Wait: math.MaxInt64}},
		"refused":                     {1, client.Answer{Asked: true, RetryAfter: 1}, client.Step{Reason: client.NotTemporary}},
	} {
		var p client.RetryPolicy
		if got := p.Next(c.attempt, c.answer, p.NewBudget(nil), middle); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// Without a budget retries are bounded by their number alone.
func TestNoBudget(t *testing.T) {
	if got := (client.RetryPolicy{}).Next(1, down, nil, middle); !got.Again {
		t.Errorf("%+v", got)
	}
}

// Requests that were refused in one moment, with one Retry-After, come back spread.
func TestTheRefusedComeBackSpread(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	var p client.RetryPolicy
	perSecond := map[int]int{}
	for range 3200 {
		step := p.Next(6, client.Answer{Temporary: true, Asked: true, RetryAfter: 30 * time.Second}, p.NewBudget(nil), random.Float64)
		perSecond[int(step.Wait/time.Second)]++
	}
	for second, n := range perSecond {
		if second < 30 || n > 300 {
			t.Errorf("%d of 3200 come back in second %d", n, second)
		}
	}
}

func FuzzNext(f *testing.F) {
	f.Add(1, true, true, int64(time.Minute), 0.5)
	f.Add(math.MaxInt, true, true, int64(math.MaxInt64), 0.999)
	f.Add(math.MinInt, true, false, int64(math.MinInt64), 0.0)
	f.Fuzz(func(t *testing.T, attempt int, temporary, asked bool, after int64, at float64) {
		if !(at >= 0 && at < 1) {
			t.Skip()
		}
		var p client.RetryPolicy
		a := client.Answer{Temporary: temporary, Asked: asked, RetryAfter: time.Duration(after)}
		step := p.Next(attempt, a, p.NewBudget(nil), func() float64 { return at })
		if step.Again == (step.Reason != "") || step.Wait < 0 {
			t.Errorf("%+v", step)
		}
		if asked && temporary && step.Wait < a.RetryAfter {
			t.Errorf("%+v undercuts %v", step, a.RetryAfter)
		}
		if step.Again && (attempt >= client.DefaultAttempts || step.Wait > client.DefaultLongestWait+client.DefaultBackoff.Cap) {
			t.Errorf("attempt %d: %+v", attempt, step)
		}
	})
}

// The work outlives the process that gave up.
func TestGivingUpKeepsTheWork(t *testing.T) {
	s := newScript(t, func(c *client.Config) {
		c.Header = http.Header{"Authorization": {"Bearer secret"}}
	}, gives(503, "", "Retry-After", "600"), gives(503, "", "Retry-After", "900"), gives(202, queued))
	_, err := s.client.Enqueue(t.Context(), "photo.resize", map[string]string{"key": "k"}, client.Key("mine"))
	for i, least := range []time.Duration{10 * time.Minute, 15 * time.Minute} {
		var gave *client.GaveUpError
		if !errors.As(err, &gave) || gave.Kept == nil || gave.At.Before(epoch.Add(least)) || !gave.At.Equal(gave.Kept.At) {
			t.Fatalf("%d: %v", i, err)
		}
		stored, err1 := json.Marshal(gave.Kept)
		var kept client.Kept
		if err := errors.Join(err1, json.Unmarshal(stored, &kept)); err != nil || strings.Contains(string(stored), "secret") {
			t.Fatalf("%s %v", stored, err)
		}
		_, err = s.client.Resume(t.Context(), kept)
	}
	if err != nil || s.bodies[2] != `{"key":"k"}` || s.got[2].URL.Path != "/jobs/photo.resize" || s.got[2].Header.Get("Idempotency-Key") != `"mine"` {
		t.Errorf("%v %s %v", err, s.bodies[2], s.got[2])
	}
}

func ExampleRetryPolicy_Next() {
	policy := client.RetryPolicy{Attempts: 3}
	budget := policy.NewBudget(nil) // of all requests of a client
	busy := client.Answer{Temporary: true, Asked: true, RetryAfter: 30 * time.Second}
	middle := func() float64 { return 0.5 } // rand.Float64

	budget.Sent()
	for attempt := 1; ; attempt++ {
		step := policy.Next(attempt, busy, budget, middle)
		fmt.Printf("%v %v %q\n", step.Again, step.Wait, step.Reason)
		if !step.Again {
			break
		}
	}
	// Output:
	// true 30.25s ""
	// true 30.5s ""
	// false 31s "attempts"
}

func ExampleClient_Resume() {
	var store []byte // a file, a row

	keep := func(err error) {
		var gaveUp *client.GaveUpError
		if errors.As(err, &gaveUp) && gaveUp.Kept != nil {
			store, _ = json.Marshal(gaveUp.Kept)
		}
	}
	keep(&client.GaveUpError{Kept: &client.Kept{Task: "photo.resize", Arguments: json.RawMessage(`{"key":"k"}`), Key: "1", At: epoch}})

	// Later, in this process or another, at Kept.At: c.Resume(ctx, kept).
	var kept client.Kept
	err := json.Unmarshal(store, &kept)
	fmt.Println(kept.Task, kept.At, err)
	// Output: photo.resize 2026-11-29 16:00:00 +0000 UTC <nil>
}
