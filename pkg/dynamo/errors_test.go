package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// scripted is DynamoDB that answers one thing after the other.
type scripted struct {
	dynamo.API
	errs   []error
	tokens []string
	row    store.Item // what a read finds
	reads  []bool     // whether each read was consistent
}

func (s *scripted) next() error {
	if len(s.errs) == 0 {
		return nil
	}
	err := s.errs[0]
	s.errs = s.errs[1:]
	return err
}

func (s *scripted) TransactWriteItems(_ context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	s.tokens = append(s.tokens, aws.ToString(in.ClientRequestToken))
	return &dynamodb.TransactWriteItemsOutput{}, s.next()
}

func (s *scripted) UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return &dynamodb.UpdateItemOutput{}, s.next()
}

func (s *scripted) GetItem(_ context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	s.reads = append(s.reads, aws.ToBool(in.ConsistentRead))
	return &dynamodb.GetItemOutput{Item: s.row}, s.next()
}

func (s *scripted) Query(_ context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	s.reads = append(s.reads, aws.ToBool(in.ConsistentRead))
	return &dynamodb.QueryOutput{}, s.next()
}

// cancelled is a transaction that was cancelled for these reasons.
func cancelled(codes ...string) error {
	e := &types.TransactionCanceledException{}
	for _, code := range codes {
		e.CancellationReasons = append(e.CancellationReasons, types.CancellationReason{Code: aws.String(code), Message: aws.String("because")})
	}
	return fmt.Errorf("operation error DynamoDB: TransactWriteItems: %w", e)
}

// A conflict with another transaction goes away by waiting, and a throttle does;
// a condition that failed beside it never will.
func TestConflictsAreRepeatedAndFailedConditionsAreNot(t *testing.T) {
	action := store.Write{Op: store.Check, Key: store.KeyOf("effect"), Condition: "attribute_exists(pk)"}
	for _, c := range []struct {
		name  string
		errs  []error
		tries int
		is    error // nil: it succeeds
	}{
		{"none", nil, 1, nil},
		{"a conflict, twice", []error{cancelled("None", "TransactionConflict"), cancelled("TransactionConflict", "None")}, 3, nil},
		{"a throttle, then a conflict", []error{cancelled("None", "ThrottlingError"), cancelled("TransactionConflict", "TransactionConflict")}, 3, nil},
		{"a throttled call", []error{&types.ProvisionedThroughputExceededException{}}, 2, nil},
		{"a transaction in progress", []error{&types.TransactionInProgressException{}}, 2, nil},
		{"the action's condition beside a conflict", []error{cancelled("TransactionConflict", "ConditionalCheckFailed")}, 1, store.ErrCondition},
		{"the job's own condition beside a conflict", []error{cancelled("ConditionalCheckFailed", "TransactionConflict")}, 1, store.ErrLeaseLost},
		{"a condition after a conflict", []error{cancelled("None", "TransactionConflict"), cancelled("None", "ConditionalCheckFailed")}, 2, store.ErrCondition},
		{"conflicts without end", []error{
			cancelled("None", "TransactionConflict"), cancelled("None", "TransactionConflict"), cancelled("None", "TransactionConflict"),
			cancelled("None", "TransactionConflict"), cancelled("None", "TransactionConflict"), cancelled("None", "TransactionConflict"),
		}, 5, store.ErrConflict},
		{"a row too large", []error{cancelled("None", "ItemCollectionSizeLimitExceeded")}, 1, store.ErrTooLarge},
	} {
		api := &scripted{errs: c.errs}
		var waits []time.Duration
		jobs, err := store.New(store.Config{
			Driver: dynamo.New(api, "jobs"), Jitter: func() float64 { return 0.5 },
			Pause: func(_ context.Context, d time.Duration) error { waits = append(waits, d); return nil },
		})
		if err != nil {
			t.Fatal(err)
		}
		claimed := store.Record{ID: job.IDOf([16]byte{1}), Row: lifecycle.Row{Token: "mine"}}
		_, err = jobs.Commit(t.Context(), claimed, lifecycle.Outcome{To: lifecycle.Done}, action)
		if !errors.Is(err, c.is) || len(api.tokens) != c.tries {
			t.Errorf("%s: %d tries, %v; want %d, %v", c.name, len(api.tokens), err, c.tries, c.is)
		}
		for i, token := range api.tokens {
			if token == "" || len(token) > 36 || token != api.tokens[0] {
				t.Errorf("%s: try %d has the token %q, the first %q: an answer that was lost would be applied twice", c.name, i, token, api.tokens[0])
			}
		}
		for i, wait := range waits {
			if wait <= 0 || i > 0 && wait <= waits[i-1] {
				t.Errorf("%s: waits %v", c.name, waits)
			}
		}
	}
}

// However many layers wrap it, a failed condition is one. A bare code is none: it
// does not bring the row along, and "no row" would be the wrong thing to conclude.
func TestAFailedConditionIsKnownByTheRowThatItBrings(t *testing.T) {
	row := store.Item{"pk": &types.AttributeValueMemberS{Value: "job#x"}, "sk": &types.AttributeValueMemberS{Value: "job"}, "state": &types.AttributeValueMemberS{Value: "done"}}
	typed := &types.ConditionalCheckFailedException{Item: row}
	for name, c := range map[string]struct {
		err   error
		known bool
	}{
		"plain":         {typed, true},
		"wrapped":       {fmt.Errorf("x: %w", typed), true},
		"wrapped twice": {fmt.Errorf("y: %w", &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "UpdateItem", Err: fmt.Errorf("x: %w", typed)}), true},
		"joined":        {errors.Join(errors.New("metrics"), typed), true},
		"a bare code":   {&smithy.GenericAPIError{Code: "ConditionalCheckFailedException"}, false},
		"of that text":  {errors.New("ConditionalCheckFailedException: the conditional request failed"), false},
	} {
		driver := dynamo.New(&scripted{errs: []error{c.err}}, "jobs")
		_, err := driver.Write(t.Context(), store.Write{Op: store.Update, Key: store.KeyOf("x"), Update: "SET a = :a"})
		var failed *store.ConditionError
		if errors.As(err, &failed) != c.known || errors.Is(err, store.ErrCondition) != c.known || err == nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.known && !reflect.DeepEqual(failed.Old, row) {
			t.Errorf("%s: the row is %v", name, failed.Old)
		}
	}
}

// Whoever has just been told of a job finds it: rows are read consistently.
func TestReadsAreConsistent(t *testing.T) {
	api := &scripted{}
	driver := dynamo.New(api, "jobs")
	if _, err := driver.Get(t.Context(), store.KeyOf("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Query(t.Context(), store.Query{Condition: "pk = :pk"}); err != nil {
		t.Fatal(err)
	}
	if _, err := driver.Query(t.Context(), store.Query{Index: store.DueIndex, Condition: "due_slot = :slot"}); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(api.reads) != "[true true false]" {
		t.Errorf("consistent: %v; only an index can't be", api.reads)
	}
}

// A batch write answers 200 and leaves some of its rows unwritten. The driver has
// none: each row is a call that succeeds or fails.
func TestTheDriverMakesNoBatchCalls(t *testing.T) {
	api := reflect.TypeFor[dynamo.API]()
	for i := range api.NumMethod() {
		if name := api.Method(i).Name; strings.HasPrefix(name, "Batch") {
			t.Errorf("the driver calls %s: what looks at its unprocessed rows?", name)
		}
	}
}
