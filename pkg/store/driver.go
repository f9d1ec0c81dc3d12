// Package store keeps jobs in a DynamoDB-shaped table: each transition of the
// state machine (package lifecycle) is one conditional write.
//
// Jobs is the concrete type. Below it stands Driver, a small interface with two
// implementations: package dynamo speaks to DynamoDB, package memstore keeps rows
// in memory and evaluates the same expressions. Both pass the suite in package
// storetest. Fault injection is a decorator over any Driver.
//
// # A write whose answer was lost
//
// A network can lose an answer after the write was applied, and the SDK then
// repeats the call. So that this is told from a race that was lost, ids and tokens
// are made before the call, a failed condition brings the old row back, and a
// row that carries the caller's own token in the state it asked for means
// success.
package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// An Item is one row as DynamoDB has it.
type Item = map[string]types.AttributeValue

// Errors that callers decide on.
var (
	// ErrCondition: a condition did not hold. The error is a *ConditionError.
	ErrCondition = errors.New("store: the condition did not hold")
	// ErrThrottled: the table refuses for now; try again later.
	ErrThrottled = errors.New("store: throttled")
	// ErrConflict: another transaction holds one of the rows; try again.
	ErrConflict = errors.New("store: transaction conflict")
	// ErrInvalid: the call makes no sense to the table; repeating it can't help.
	ErrInvalid = errors.New("store: invalid call")
	// ErrTooLarge: the row would exceed DynamoDB's 400 KB.
	ErrTooLarge = errors.New("store: the row is too large")
)

// A ConditionError is a condition that did not hold, with the row that was there.
type ConditionError struct {
	// Old is the row as it was; nil where there was none.
	Old Item
	// Index is the write's place in a transaction.
	Index int
}

// Error says which write it was.
func (e *ConditionError) Error() string {
	return fmt.Sprintf("%v (write %d)", ErrCondition, e.Index)
}

// Is makes errors.Is(err, ErrCondition) true.
func (e *ConditionError) Is(target error) bool { return target == ErrCondition }

// An Op is a kind of write.
type Op int

// The kinds of write.
const (
	Put Op = iota
	Update
	Delete
	// Check writes nothing and holds a transaction to a condition.
	Check
)

// A Write is one conditional write, with DynamoDB's expressions.
type Write struct {
	Op Op
	// Table is the table's name; empty means the jobs table.
	Table string
	// Key is the row's primary key; for a Put it is part of Item.
	Key Item
	// Item is the whole row of a Put.
	Item Item
	// Update is the update expression of an Update.
	Update string
	// Condition is the condition expression; empty means none.
	Condition string
	// Names and Values are what the expressions' placeholders stand for.
	Names  map[string]string
	Values Item
}

// A Query reads one partition of an index in order of its range key.
type Query struct {
	// Index is the index's name; empty means the table.
	Index string
	// Condition is the key condition expression.
	Condition string
	Names     map[string]string
	Values    Item
	// Descending reads from the highest range key down.
	Descending bool
	// Limit is the most rows a page holds; zero means DynamoDB's 1 MB.
	Limit int
	// Start continues after a page's Next.
	Start Item
}

// A Scan reads a share of the whole table.
type Scan struct {
	// Segment of Segments; Segments 0 means the whole table.
	Segment, Segments int
	Limit             int
	Start             Item
}

// A Page is what a Query or a Scan gives at once.
type Page struct {
	Items []Item
	// Next continues; nil means that this was the last page.
	Next Item
}

// A Driver reads and writes rows. Its methods may be called by many goroutines.
//
// Errors: a failed condition is a *ConditionError; ErrThrottled, ErrConflict,
// ErrInvalid and ErrTooLarge are wrapped where they are the cause; everything else is for logs.
// A driver may repeat calls whose answer was lost.
type Driver interface {
	// Get reads one row with a consistent read; nil where there is none.
	Get(ctx context.Context, key Item) (Item, error)
	// Write makes one conditional write. It returns the row as it is after
	// an Update, and nil otherwise.
	Write(ctx context.Context, w Write) (Item, error)
	// Transact makes all of the writes or none. token makes a repeated call
	// with the same token one transaction for ten minutes; it has at most 36
	// characters. Rules: at most 100 writes, one per row, 4 MB.
	// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
	Transact(ctx context.Context, token string, writes []Write) error
	// Query reads a page of one partition. Index reads lag behind.
	Query(ctx context.Context, q Query) (Page, error)
	// Scan reads a page of the table.
	Scan(ctx context.Context, s Scan) (Page, error)
}
