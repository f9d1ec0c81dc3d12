package idempotency_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A handler charges a card. However often the job runs, the card is charged once,
// and every run gets the same receipt.
func ExampleOnce() {
	records, err := idempotency.New(idempotency.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	charges := 0
	handler := func(ctx context.Context, j *job.Job[charge]) (receipt, error) {
		key := idempotency.Key{Scope: "payments.charge", ID: j.Key("charge"), Payload: j.Args}
		return idempotency.Once(ctx, records, key, func(context.Context) (receipt, error) {
			charges++ // the bank, to which key.ID goes as well
			return receipt{Number: 1000 + charges}, nil
		})
	}
	j := job.New(job.Job[charge]{ID: "7b2d4f6h8j0k1m3n5p7q9r2s4t", Args: charge{"ann", 10}}, job.Internals{})
	for range 3 {
		r, err := handler(context.Background(), j)
		fmt.Println(r.Number, err)
	}
	fmt.Println("charged", charges, "time")
	// Output:
	// 1001 <nil>
	// 1001 <nil>
	// 1001 <nil>
	// charged 1 time
}

// After a take-over nobody knows what the dead owner did. A third party that takes
// no keys may be asked.
func ExampleTakenOver() {
	records, err := idempotency.New(idempotency.Config{Driver: memstore.New(memstore.Config{})})
	if err != nil {
		fmt.Println(err)
		return
	}
	sent := func(string) bool { return false }
	key := idempotency.Key{Scope: "letters.print", ID: "order-7"}
	err = records.Do(context.Background(), key, func(ctx context.Context) error {
		if idempotency.TakenOver(ctx) && sent("order-7") {
			return nil
		}
		fmt.Println("printing")
		return nil
	})
	fmt.Println(err)
	// Output:
	// printing
	// <nil>
}

func ExampleInProgressError() {
	answer := func(err error) (status int) {
		var busy *idempotency.InProgressError
		switch {
		case errors.As(err, &busy): // with Retry-After: busy.After
			return 409
		case errors.Is(err, idempotency.ErrOtherPayload):
			return 422
		}
		return 500
	}
	fmt.Println(answer(&idempotency.InProgressError{}), answer(job.Fail(idempotency.ErrOtherPayload)))
	// Output: 409 422
}
