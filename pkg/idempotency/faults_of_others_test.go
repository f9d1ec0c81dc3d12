package idempotency_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// What went wrong in other libraries of this kind.

// A take-over may repeat the effect: the third party is given the same key, and a
// configured lease has the successor wait.
func TestATakeOverHandsOutTheSameKey(t *testing.T) {
	w := newWorld(t, func(c *idempotency.Config) { c.Lease = time.Hour })
	j := job.New(job.Job[charge]{ID: "7b2d4f6h8j0k1m3n5p7q9r2s4t", Args: charge{"ann", 10}}, job.Internals{})
	charged := map[string]int{} // the bank, which takes keys
	k := idempotency.Key{Scope: "payments.charge", ID: j.Key("charge"), Payload: j.Args}
	var keys []string
	fn := func(context.Context) (receipt, error) {
		keys = append(keys, k.ID)
		if _, done := charged[k.ID]; !done {
			charged[k.ID] = len(charged) + 1
		}
		return receipt{Number: charged[k.ID]}, nil
	}
	hanging := w.crash(k, fn) // it hangs on, past its deadline
	w.pass(59 * time.Minute)
	if _, err := idempotency.Once(t.Context(), w.records, k, fn); !errors.Is(err, idempotency.ErrInProgress) {
		t.Errorf("the hour is not over: %v", err)
	}
	w.pass(2 * time.Minute)
	if _, err := idempotency.Once(t.Context(), w.records, k, fn); err != nil {
		t.Error(err)
	}
	if r, err := hanging(); err != nil || r.Number != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if len(keys) != 2 || keys[0] != keys[1] || len(charged) != 1 {
		t.Errorf("calls with %v, %d charges", keys, len(charged))
	}
}

// rawClaim is a claim's row as the table has it, made by hand of the clock's own
// numbers.
func rawClaim(payload string, until, ttl int64) store.Item {
	return store.Item{
		"pk": text("once#payments.charge#a"), "sk": text("once"), "state": text("claimed"), "token": text("of another"),
		"fingerprint": text(payload), "until_ms": number(until), "ttl": number(ttl),
	}
}

func TestUnitsOfTime(t *testing.T) {
	reference := newWorld(t)
	reference.mustPay(key("a"), 1)
	payload := attribute(reference.row(), "fingerprint")
	now := time.Now()
	for name, c := range map[string]struct {
		until, ttl int64
		want       error
	}{
		"ended 30 s ago, in milliseconds": {now.UnixMilli() - 30_000, now.Unix() + 30, nil},
		"ends in 30 s, in milliseconds":   {now.UnixMilli() + 30_000, now.Unix() + 60, idempotency.ErrInProgress},
		"an end in seconds is flagged":    {now.Unix() - 30, now.Unix() + 30, idempotency.ErrUnreadable},
		"no end is flagged":               {0, now.Unix() + 30, idempotency.ErrUnreadable},
		"and absent with its record":      {now.Unix() - 30, now.Unix() - 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, driver: memstore.New(memstore.Config{})}
			records, err := idempotency.New(idempotency.Config{Driver: w.driver, Now: func() time.Time { return now }, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			w.put(rawClaim(payload, c.until, c.ttl))
			w.records = records
			if _, err := w.pay(key("a")); !errors.Is(err, c.want) {
				t.Fatalf("%v, not %v", err, c.want)
			}
			if c.want == nil {
				w.wantCharges(1)
				row := w.row()
				var ttl int64
				if _, err := fmt.Sscan(attribute(row, "ttl"), &ttl); err != nil || attribute(row, "state") != "done" {
					t.Errorf("the row is %v, %v", row, err)
				}
				if ttl < now.Add(89*24*time.Hour).Unix() || ttl > now.Add(91*24*time.Hour).Unix() {
					t.Errorf("the time to live is %d: not whole seconds", ttl)
				}
			}
		})
	}
}

// The payload is compared on every way to a stored record.
func TestAnotherPayloadIsRefusedEverywhere(t *testing.T) {
	other := key("a")
	other.Payload = charge{"ann", 11}
	refused := func(w *world) {
		t.Helper()
		for name, records := range map[string]*idempotency.Records{"a warm process": w.records, "a fresh one": w.fresh()} {
			w.records = records
			if r, err := w.pay(other); !errors.Is(err, idempotency.ErrOtherPayload) || !isPermanent(err) || r.Number != 0 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
	}
	t.Run("done", func(*testing.T) {
		w := newWorld(t)
		w.mustPay(key("a"), 1)
		refused(w)
		w.mustPay(key("a"), 1)
	})
	t.Run("in progress", func(*testing.T) {
		w := newWorld(t)
		w.crash(key("a"), w.charge)
		refused(w)
	})
	t.Run("its owner is dead", func(*testing.T) {
		w := newWorld(t)
		w.crash(key("a"), w.charge)
		w.pass(time.Hour)
		refused(w)
		w.wantCharges(0)
	})
}

// What differs between attempts is no part of the payload, and does no harm.
func TestThePayloadIsWhatTheCallerChose(t *testing.T) {
	w := newWorld(t)
	for at := range 3 {
		request := map[string]any{"body": charge{"ann", 10}, "timestamp": at}
		k := idempotency.Key{Scope: "http", ID: "a", Payload: request["body"]}
		w.mustPay(k, 1)
	}
}

func TestKeysOfOtherScopesAreOthers(t *testing.T) {
	w := newWorld(t)
	for i, scope := range []string{"POST /jobs/email", "POST /jobs/resize"} {
		w.mustPay(idempotency.Key{Scope: scope, ID: "abc"}, i+1)
	}
}

// Every run follows a claim, also where the record had just expired.
func TestAnExpiredRecordIsClaimedByOne(t *testing.T) {
	for name, leave := range map[string]func(w *world){
		"an answer": func(w *world) {
			_ = w.records.Do(t.Context(), key("a"), func(context.Context) error { return nil })
			w.pass(time.Hour + time.Second)
		},
		"a claim": func(w *world) { w.crash(key("a"), w.charge); w.pass(2 * time.Hour) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(c *idempotency.Config) { c.Retention = time.Hour })
			leave(w)
			var callers sync.WaitGroup
			for range 20 {
				callers.Go(func() {
					if r, err := w.pay(key("a")); err != nil && !errors.Is(err, idempotency.ErrInProgress) || err == nil && r.Number != 1 {
						t.Errorf("%+v, %v", r, err)
					}
				})
			}
			callers.Wait()
			w.wantCharges(1)
		})
	}
}

// wrapped is a table behind a middleware that wraps errors.
type wrapped struct {
	store.Driver
	instead error
}

func (d wrapped) Write(ctx context.Context, w store.Write) (store.Item, error) {
	item, err := d.Driver.Write(ctx, w)
	if err != nil && d.instead != nil {
		err = d.instead
	}
	if err != nil {
		err = fmt.Errorf("middleware: %w", err)
	}
	return item, err
}

func TestAFailedConditionIsKnownThroughWrapping(t *testing.T) {
	w := newWorld(t)
	w.records = w.fresh(func(c *idempotency.Config) { c.Driver = wrapped{Driver: w.driver} })
	w.mustPay(key("a"), 1)
	w.mustPay(key("a"), 1)
}

// A refusal that does not bring the row along says nothing about it.
func TestARefusalWithoutTheRowRunsNothing(t *testing.T) {
	for _, instead := range []error{
		&types.ConditionalCheckFailedException{},
		&smithy.GenericAPIError{Code: "ConditionalCheckFailedException"},
		&store.ConditionError{},
	} {
		w := newWorld(t)
		w.mustPay(key("a"), 1)
		w.records = w.fresh(func(c *idempotency.Config) { c.Driver = wrapped{w.driver, instead} })
		if _, err := w.pay(key("a")); err == nil || isPermanent(err) {
			t.Errorf("%T: %v", instead, err)
		}
		w.wantCharges(1)
	}
}

func TestLargeNumbersSurvive(t *testing.T) {
	w := newWorld(t)
	for _, id := range []int64{1152921504606846977, 1152921504606846976} {
		k := idempotency.Key{Scope: "s", ID: "a", Payload: map[string]int64{"id": id}}
		got, err := idempotency.Once(t.Context(), w.records, k, func(context.Context) (json.RawMessage, error) {
			return json.RawMessage(fmt.Sprintf(`{"id":%d}`, id)), nil
		})
		switch {
		case id%10 == 7 && (err != nil || string(got) != `{"id":1152921504606846977}`):
			t.Errorf("%s, %v", got, err)
		case id%10 == 6 && !errors.Is(err, idempotency.ErrOtherPayload):
			t.Errorf("two ids have one fingerprint: %v", err)
		}
	}
	got, err := idempotency.Once(t.Context(), w.records, idempotency.Key{Scope: "s", ID: "a", Payload: json.RawMessage(`{"id":1152921504606846977}`)},
		func(context.Context) (struct {
			ID int64 `json:"id"`
		}, error) {
			panic("it was done")
		})
	if err != nil || got.ID != 1152921504606846977 {
		t.Errorf("%d, %v", got.ID, err)
	}
}
