package idempotency_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type charge struct {
	Account string `json:"account"`
	Amount  int64  `json:"amount"`
}

type receipt struct {
	Number int    `json:"number"`
	Text   string `json:"text,omitzero"`
}

// world is records over rows in memory, a clock, and a bank that numbers its
// charges.
type world struct {
	t       *testing.T
	driver  store.Driver
	records *idempotency.Records
	objects *objects
	log     *bytes.Buffer

	mu      sync.Mutex
	now     time.Time
	charges int
}

func newWorld(t *testing.T, edits ...func(*idempotency.Config)) *world {
	t.Helper()
	w := &world{
		t: t, driver: memstore.New(memstore.Config{}), objects: &objects{Driver: memobjects.New(nil)},
		log: &bytes.Buffer{}, now: time.Now().Truncate(time.Second),
	}
	w.records = w.fresh(edits...)
	return w
}

// fresh makes Records as another process would have them.
func (w *world) fresh(edits ...func(*idempotency.Config)) *idempotency.Records {
	w.t.Helper()
	config := idempotency.Config{Driver: w.driver, Now: w.clock, Logger: slog.New(slog.NewTextHandler(w.log, nil))}
	for _, edit := range edits {
		edit(&config)
	}
	records, err := idempotency.New(config)
	if err != nil {
		w.t.Fatal(err)
	}
	w.driver = config.Driver
	return records
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// charge is an effect that must not happen twice.
func (w *world) charge(context.Context) (receipt, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.charges++
	return receipt{Number: w.charges}, nil
}

func key(id string) idempotency.Key {
	return idempotency.Key{Scope: "payments.charge", ID: id, Payload: charge{"ann", 10}}
}

// pay charges once by key.
func (w *world) pay(k idempotency.Key) (receipt, error) {
	return idempotency.Once(w.t.Context(), w.records, k, w.charge)
}

func (w *world) mustPay(k idempotency.Key, want int) {
	w.t.Helper()
	if got, err := w.pay(k); err != nil || got.Number != want {
		w.t.Errorf("receipt %d, not %d: %v", got.Number, want, err)
	}
}

func (w *world) wantCharges(n int) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.charges != n {
		w.t.Errorf("charged %d times, not %d", w.charges, n)
	}
}

// crash claims the key for an owner that never ends: its process stands still in
// fn, as one does that was killed. resume lets it go on after all.
func (w *world) crash(k idempotency.Key, fn func(context.Context) (receipt, error)) (resume func() (receipt, error)) {
	w.t.Helper()
	type end struct {
		receipt receipt
		err     error
	}
	running, goOn, ended := make(chan struct{}), make(chan struct{}), make(chan end, 1)
	records := w.records
	go func() {
		r, err := idempotency.Once(context.WithoutCancel(w.t.Context()), records, k, func(ctx context.Context) (receipt, error) {
			close(running)
			<-goOn
			return fn(ctx)
		})
		ended <- end{r, err}
	}()
	select {
	case <-running:
	case e := <-ended:
		w.t.Fatalf("it did not run: %+v", e)
	}
	once := sync.OnceValues(func() (receipt, error) { close(goOn); e := <-ended; return e.receipt, e.err })
	w.t.Cleanup(func() { _, _ = once() }) // the goroutine ends in any case
	return once
}

// rows gives the table's rows.
func (w *world) rows() []store.Item {
	w.t.Helper()
	page, err := w.driver.Scan(w.t.Context(), store.Scan{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	return page.Items
}

// row gives the only row.
func (w *world) row() store.Item {
	w.t.Helper()
	rows := w.rows()
	if len(rows) != 1 {
		w.t.Fatalf("%d rows", len(rows))
	}
	return rows[0]
}

// put writes a row as it is.
func (w *world) put(item store.Item) {
	w.t.Helper()
	if _, err := w.driver.Write(w.t.Context(), store.Write{Op: store.Put, Item: item}); err != nil {
		w.t.Fatal(err)
	}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: fmt.Sprint(n)}
}

func attribute(item store.Item, name string) string {
	switch v := item[name].(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	}
	return ""
}

// isPermanent tells whether the error ends a job.
func isPermanent(err error) bool {
	var fail *job.FailError
	return errors.As(err, &fail)
}

// objects is an object storage in memory that can fail, or not answer at all.
type objects struct {
	claimcheck.Driver
	fail   error
	silent bool
}

func (o *objects) Put(ctx context.Context, key string, data []byte) error {
	if o.silent {
		<-ctx.Done()
		return ctx.Err()
	}
	if o.fail != nil {
		return o.fail
	}
	return o.Driver.Put(ctx, key, data)
}

func (o *objects) Get(ctx context.Context, key string, limit int64) ([]byte, error) {
	if o.fail != nil {
		return nil, o.fail
	}
	return o.Driver.Get(ctx, key, limit)
}

// keep has answers over 100 bytes kept as objects.
func (w *world) keep(config *idempotency.Config) {
	kept, err := claimcheck.New(w.objects)
	if err != nil {
		w.t.Fatal(err)
	}
	config.Objects, config.MaxResult = kept, 100
}

// stored gives the keys of the objects.
func (w *world) stored() (keys []string) {
	w.t.Helper()
	page, _, err := w.objects.List(w.t.Context(), "", "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, o := range page {
		keys = append(keys, o.Key)
	}
	return keys
}
