package idempotency_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// say charges, and answers with a text of n bytes of JSON in all.
func (w *world) say(n int) (receipt, error) {
	return idempotency.Once(w.t.Context(), w.records, key("a"), func(ctx context.Context) (receipt, error) {
		r, err := w.charge(ctx)
		r.Text = strings.Repeat("x", n-len(`{"number":1,"text":""}`))
		return r, err
	})
}

func TestAnAnswerTooLargeIsNotKeptAndNotRepeated(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) { c.MaxResult = 100 })
	r, err := w.say(101)
	if !errors.Is(err, idempotency.ErrNotKept) || !isPermanent(err) || r.Number != 1 {
		t.Errorf("the first caller got %+v, %v", r, err)
	}
	for range 2 {
		r, err := w.say(101)
		if !errors.Is(err, idempotency.ErrNotKept) || !isPermanent(err) || r.Number != 0 || !strings.Contains(err.Error(), "101 bytes") {
			t.Errorf("a later one %+v, %v", r, err)
		}
	}
	w.wantCharges(1)
}

func TestAnAnswerAsLargeAsItMayBe(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) { c.MaxResult = idempotency.MostMaxResult })
	for range 2 {
		if r, err := w.say(idempotency.MostMaxResult); err != nil || len(r.Text) < 390<<10-100 {
			t.Errorf("%d bytes, %v", len(r.Text), err)
		}
	}
	w.wantCharges(1)
}

// The key and the scope need room in the row as well.
func TestARowThatIsFullAllTheSame(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) {
		c.MaxResult, c.Driver = 1000, small{c.Driver}
	})
	if r, err := w.say(900); !errors.Is(err, idempotency.ErrNotKept) || r.Number != 1 {
		t.Errorf("the first caller got %+v, %v", r, err)
	}
	if _, err := w.say(900); !errors.Is(err, idempotency.ErrNotKept) {
		t.Errorf("a later one: %v", err)
	}
	w.wantCharges(1)
}

// small is a table whose rows hold little.
type small struct{ store.Driver }

func (s small) Write(ctx context.Context, w store.Write) (store.Item, error) {
	if len(attribute(w.Item, "result")) > 500 {
		return nil, store.ErrTooLarge
	}
	return s.Driver.Write(ctx, w)
}

func TestAnAnswerThatIsNotJSON(t *testing.T) {
	w := newWorld(t)
	runs := 0
	pay := func() (chan int, error) {
		return idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (chan int, error) {
			runs++
			return make(chan int), nil
		})
	}
	if answer, err := pay(); !errors.Is(err, idempotency.ErrNotKept) || answer == nil {
		t.Errorf("the first caller got %v, %v", answer, err)
	}
	if answer, err := pay(); !errors.Is(err, idempotency.ErrNotKept) || answer != nil || runs != 1 {
		t.Errorf("a later one %v, %v; %d runs", answer, err, runs)
	}
}

func TestLargeAnswersGoToObjects(t *testing.T) {
	w := newWorld(t)
	w.records = w.fresh(w.keep)
	for range 2 {
		if r, err := w.say(101); err != nil || len(r.Text) != 101-22 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	keys := w.stored()
	if len(keys) != 1 || !strings.HasPrefix(keys[0], idempotency.ObjectPrefix) || attribute(w.row(), "result") != "" {
		t.Errorf("objects %v, row %v", keys, w.row())
	}
	w.wantCharges(1)

	w.objects.fail = errors.New("S3 down")
	if _, err := w.say(101); err == nil || errors.Is(err, idempotency.ErrNotKept) || isPermanent(err) {
		t.Errorf("an object that can't be read just now: %v", err)
	}
	w.records = w.fresh()
	if _, err := w.say(101); err == nil || !strings.Contains(err.Error(), "Config.Objects") {
		t.Errorf("no objects configured: %v", err)
	}
	w.objects.fail, w.records = nil, w.fresh(w.keep)
	if err := w.objects.Delete(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	if _, err := w.say(101); !errors.Is(err, idempotency.ErrNotKept) || !isPermanent(err) {
		t.Errorf("an object that is gone: %v", err)
	}
	w.wantCharges(1)
}

func TestAnAnswerTooLargeForObjects(t *testing.T) {
	w := newWorld(t)
	w.records = w.fresh(w.keep)
	if r, err := w.say(claimcheck.MaxBytes + 1); !errors.Is(err, idempotency.ErrNotKept) || r.Number != 1 {
		t.Errorf("the first caller got %d, %v", r.Number, err)
	}
	if _, err := w.say(100); !errors.Is(err, idempotency.ErrNotKept) {
		t.Errorf("a later one: %v", err)
	}
	w.wantCharges(1)
}

func TestSmallAnswersNeedNoObject(t *testing.T) {
	w := newWorld(t)
	w.records = w.fresh(w.keep)
	if _, err := w.say(100); err != nil || len(w.stored()) != 0 {
		t.Errorf("objects %v, %v", w.stored(), err)
	}
}

// The effect is done: its caller goes on, and nobody repeats it. An answer for which
// the row has room is kept there all the same.
func TestObjectsThatFailCostAVeryLargeAnswerOnly(t *testing.T) {
	w := newWorld(t)
	w.objects.fail = errors.New("S3 down")
	w.records = w.fresh(w.keep)
	for range 2 {
		if r, err := w.say(101); err != nil || r.Number != 1 {
			t.Errorf("an answer for the row: %+v, %v", r, err)
		}
	}
	w.pass(idempotency.DefaultRetention)
	if r, err := w.say(idempotency.MostMaxResult + 1); err != nil || r.Number != 2 {
		t.Errorf("the first caller got %d, %v", r.Number, err)
	}
	if _, err := w.say(101); !errors.Is(err, idempotency.ErrNotKept) || !strings.Contains(err.Error(), "S3 down") {
		t.Errorf("a later one: %v", err)
	}
	w.wantCharges(2)
}

// A storage that does not answer at all must not use up the time in which the row
// is to be told, or the next caller would repeat the effect.
func TestObjectsThatDoNotAnswerRepeatNothing(t *testing.T) {
	for _, bytes := range []int{101, idempotency.MostMaxResult + 1} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.objects.silent = true
			w.records = w.fresh(w.keep)
			if r, err := w.say(bytes); err != nil || r.Number != 1 {
				t.Errorf("the first caller got %d, %v", r.Number, err)
			}
			w.pass(time.Hour)
			if _, err := w.say(bytes); err != nil && !errors.Is(err, idempotency.ErrNotKept) {
				t.Error(err)
			}
			w.wantCharges(1)
		})
	}
}

// slowly is an answer that is a long time in becoming JSON.
type slowly int

func (s slowly) MarshalJSON() ([]byte, error) {
	time.Sleep(time.Minute)
	return []byte(fmt.Sprint(int(s))), nil
}

// Nor must an answer that is large, or a process that is slow, use it up.
func TestAnAnswerThatTakesLongToEncodeIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for range 2 {
			r, err := idempotency.Once(t.Context(), w.records, key("a"), func(ctx context.Context) (slowly, error) {
				r, err := w.charge(ctx)
				return slowly(r.Number), err
			})
			if r != 1 || err != nil {
				t.Errorf("the answer is %d, %v", r, err)
			}
			w.pass(time.Hour)
		}
		w.wantCharges(1)
	})
}

func TestAnAnswerOfAnotherVersion(t *testing.T) {
	w := newWorld(t)
	_, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (map[string]any, error) {
		return map[string]any{"number": 1, "fee": 2}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.mustPay(key("a"), 1) // what this version does not know is left out
	if _, err := idempotency.Once(t.Context(), w.records, key("a"), func(context.Context) (int, error) { return 0, nil }); !errors.Is(err, idempotency.ErrUnreadable) {
		t.Errorf("an answer of another type: %v", err)
	}
}
