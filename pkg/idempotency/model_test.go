package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// model is what a key's record must be.
type model struct {
	payload int
	// answer is the stored one; 0 while there is none.
	answer int
	// until is when the claim ends; zero while nobody has it.
	until time.Time
	// owner numbers claims.
	owner int
	// kept is when the record is over.
	kept time.Time
}

// caller is somebody who is in fn.
type caller struct {
	key, payload, owner, answer int
	resume                      func() (receipt, error)
}

const (
	modelLease     = time.Minute
	modelRetention = time.Hour
)

// machine drives records and the model side by side.
type machine struct {
	*world
	rt      *rapid.T
	keys    [2]model
	inside  []caller
	answers int
}

// Random sequences of callers that succeed, fail, stand still and go on too late,
// over a clock under test.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, func(c *idempotency.Config) { c.Lease, c.Retention = modelLease, modelRetention })
		m := &machine{world: w, rt: rt}
		rt.Repeat(map[string]func(*rapid.T){
			"call":   func(rt *rapid.T) { m.rt = rt; m.call() },
			"resume": func(rt *rapid.T) { m.rt = rt; m.resume() },
			"wait": func(*rapid.T) {
				waits := []time.Duration{time.Second, modelLease / 2, modelLease, modelLease + lifecycle.LeaseMargin, modelRetention}
				m.pass(rapid.SampledFrom(waits).Draw(rt, "wait"))
			},
		})
		for _, c := range m.inside {
			_, _ = c.resume()
		}
	})
}

// call has a caller ask for a key: it succeeds, fails, or stands still in fn.
func (m *machine) call() {
	i := rapid.IntRange(0, 1).Draw(m.rt, "key")
	payload := rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(m.rt, "payload")
	fate := rapid.SampledFrom([]string{"succeeds", "fails", "stands still"}).Draw(m.rt, "fate")
	k := idempotency.Key{Scope: "model", ID: string(rune('a' + i)), Payload: payload}
	now, known := m.clock(), &m.keys[i]
	if known.kept.Unix() <= now.Unix() {
		*known = model{owner: known.owner}
	}
	switch {
	case known.payload != 0 && known.payload != payload:
		m.refused(k, idempotency.ErrOtherPayload)
		return
	case known.answer != 0:
		m.replayed(k, known.answer)
		return
	case !known.until.IsZero() && known.until.Add(lifecycle.LeaseMargin).After(now):
		m.refused(k, idempotency.ErrInProgress)
		return
	}
	m.answers++
	answer, down := m.answers, errors.New("down")
	known.owner++
	switch fate {
	case "succeeds":
		m.replayed(k, answer) // nobody else may have run it
		*known = model{payload: payload, answer: answer, owner: known.owner, kept: now.Add(modelRetention)}
	case "fails":
		_, err := idempotency.Once(context.Background(), m.records, k, func(context.Context) (receipt, error) { return receipt{}, down })
		if err != down {
			m.rt.Fatalf("it was to run and fail, and got %v", err)
		}
		*known = model{owner: known.owner}
	default:
		resume := m.crash(k, func(context.Context) (receipt, error) { return receipt{Number: answer}, nil })
		m.inside = append(m.inside, caller{i, payload, known.owner, answer, resume})
		*known = model{payload: payload, until: now.Add(modelLease), owner: known.owner, kept: now.Add(modelLease + modelRetention)}
	}
}

// replayed wants this answer; fn gives the newest one.
func (m *machine) replayed(k idempotency.Key, want int) {
	r, err := idempotency.Once(context.Background(), m.records, k, func(context.Context) (receipt, error) { return receipt{Number: m.answers}, nil })
	if err != nil || r.Number != want {
		m.rt.Fatalf("answer %d was due, and it got %d, %v", want, r.Number, err)
	}
}

func (m *machine) refused(k idempotency.Key, want error) {
	_, err := idempotency.Once(context.Background(), m.records, k, func(context.Context) (receipt, error) {
		m.rt.Fatal("it ran")
		return receipt{}, nil
	})
	if !errors.Is(err, want) {
		m.rt.Fatalf("%v was due, and it got %v", want, err)
	}
}

// resume lets a caller in fn go on, and succeed.
func (m *machine) resume() {
	if len(m.inside) == 0 {
		m.rt.Skip("nobody is in fn")
	}
	at := rapid.IntRange(0, len(m.inside)-1).Draw(m.rt, "caller")
	c := m.inside[at]
	m.inside = append(m.inside[:at:at], m.inside[at+1:]...)
	r, err := c.resume()
	now, known := m.clock(), &m.keys[c.key]
	absent := known.payload == 0 || known.kept.Unix() <= now.Unix()
	switch {
	case absent || known.owner == c.owner && known.answer == 0:
		if err != nil || r.Number != c.answer {
			m.rt.Fatalf("the owner got %d, %v", r.Number, err)
		}
		*known = model{payload: c.payload, answer: c.answer, owner: c.owner, kept: now.Add(modelRetention)}
	case known.payload != c.payload:
		if !errors.Is(err, idempotency.ErrOtherPayload) {
			m.rt.Fatalf("a former owner of another payload got %d, %v", r.Number, err)
		}
	case known.answer != 0:
		if err != nil || r.Number != known.answer {
			m.rt.Fatalf("a former owner got %d, %v; the answer is %d", r.Number, err, known.answer)
		}
	case !errors.Is(err, idempotency.ErrInProgress):
		m.rt.Fatalf("a former owner got %d, %v while its successor runs", r.Number, err)
	}
}
