package dynamodb

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// The limits of a transaction.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
const (
	maxTransactItems = 100
	maxTransactBytes = 4 << 20
)

type (
	transactWriteItemsInput struct {
		TransactItems               []transactWriteItem
		ClientRequestToken          string
		ReturnConsumedCapacity      string
		ReturnItemCollectionMetrics string
	}
	transactWriteItem struct {
		Put            *transactPut    `json:",omitempty"`
		Update         *transactUpdate `json:",omitempty"`
		Delete         *transactKey    `json:",omitempty"`
		ConditionCheck *transactKey    `json:",omitempty"`
	}
	transactOptions struct {
		TableName                           string
		ConditionExpression                 *string
		ReturnValuesOnConditionCheckFailure string
	}
	transactPut struct {
		transactOptions `json:",inline"`
		expressions     `json:",inline"`
		Item            ddb.Item
	}
	transactUpdate struct {
		transactOptions  `json:",inline"`
		expressions      `json:",inline"`
		Key              ddb.Item
		UpdateExpression *string
	}
	transactKey struct {
		transactOptions `json:",inline"`
		expressions     `json:",inline"`
		Key             ddb.Item
	}
	transactWriteItemsOutput struct {
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
	cancellationReason struct {
		Code    string
		Message string   `json:",omitempty"`
		Item    ddb.Item `json:",omitempty"`
	}
)

func (db *DB) transactWriteItems(in *transactWriteItemsInput) (*transactWriteItemsOutput, error) {
	meter, err := newMeter(in.ReturnConsumedCapacity, 2)
	if err != nil {
		return nil, err
	}
	mutations, err := in.mutations()
	if err != nil {
		return nil, err
	}
	if err := db.checkTargets(mutations); err != nil {
		return nil, err
	}
	token, err := in.token()
	if err != nil {
		return nil, err
	}
	var made []change
	err = db.writer.do(func(tx *writeTx) error {
		made = nil
		if seen, err := token.seen(tx.Tx, db.config.Now()); seen || err != nil {
			return err
		}
		if made, err = db.prepareAll(mutations, tx); err != nil {
			return err
		}
		for _, c := range made {
			if err := db.apply(tx, c); err != nil {
				return err
			}
		}
		return token.keep(tx, db.config.Now())
	})
	if err != nil {
		return nil, err
	}
	for _, c := range made {
		meter.wrote(c)
	}
	for _, c := range meter.tables {
		c.WriteCapacityUnits = c.CapacityUnits
	}
	return &transactWriteItemsOutput{ConsumedCapacity: meter.tables}, nil
}

func (in *transactWriteItemsInput) mutations() ([]*mutation, error) {
	if n := len(in.TransactItems); n == 0 || n > maxTransactItems {
		return nil, invalidf("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d and greater than or equal to 1", maxTransactItems)
	}
	if err := oneOf("returnItemCollectionMetrics", in.ReturnItemCollectionMetrics, "SIZE", "NONE"); err != nil {
		return nil, err
	}
	mutations := make([]*mutation, len(in.TransactItems))
	for i, item := range in.TransactItems {
		var err error
		if mutations[i], err = item.mutation(); err != nil {
			return nil, err
		}
	}
	return mutations, nil
}

func (item *transactWriteItem) mutation() (*mutation, error) {
	var found []*mutation
	var failures []error
	add := func(action string, o *transactOptions, e *expressions, subject ddb.Item, update *string) {
		m, err := o.mutation(action, subject, e, update)
		found, failures = append(found, m), append(failures, err)
	}
	if p := item.Put; p != nil {
		add(putting, &p.transactOptions, &p.expressions, p.Item, nil)
	}
	if u := item.Update; u != nil {
		if u.UpdateExpression == nil {
			return nil, invalidf("The parameter 'UpdateExpression' is required but was not present in the request")
		}
		add(updating, &u.transactOptions, &u.expressions, u.Key, u.UpdateExpression)
	}
	if d := item.Delete; d != nil {
		add(deleting, &d.transactOptions, &d.expressions, d.Key, nil)
	}
	if c := item.ConditionCheck; c != nil {
		if c.ConditionExpression == nil {
			return nil, invalidf("The parameter 'ConditionExpression' is required but was not present in the request")
		}
		add(checking, &c.transactOptions, &c.expressions, c.Key, nil)
	}
	if len(found) != 1 {
		return nil, invalidf("TransactItems can only contain one of Check, Put, Update or Delete")
	}
	return found[0], failures[0]
}

func (o *transactOptions) mutation(action string, subject ddb.Item, e *expressions, update *string) (*mutation, error) {
	options := writeOptions{TableName: o.TableName, ConditionExpression: o.ConditionExpression, ReturnValuesOnConditionCheckFailure: o.ReturnValuesOnConditionCheckFailure}
	if _, err := options.check(); err != nil {
		return nil, err
	}
	return options.mutation(action, subject, e, update)
}

// checkTargets refuses unknown tables and two mutations of one item. Whatever
// else is wrong with an item cancels the transaction, with its reason.
func (db *DB) checkTargets(mutations []*mutation) error {
	seen := map[string]bool{}
	for _, m := range mutations {
		if _, err := db.find(m.table); err != nil {
			return err
		}
		id, err := m.id(db)
		if err == nil && seen[id] {
			return invalidf("Transaction request cannot include multiple operations on one item")
		}
		seen[id] = true
	}
	return nil
}

// prepareAll holds every mutation against the same state. If one fails, the
// transaction is cancelled, with a reason for each item in order.
func (db *DB) prepareAll(mutations []*mutation, tx *writeTx) ([]change, error) {
	changes := make([]change, len(mutations))
	reasons := make([]cancellationReason, len(mutations))
	cancelled, size := false, 0
	for i, m := range mutations {
		made, err := m.prepare(db, tx)
		if reasons[i], err = reasonFor(err); err != nil {
			return nil, err
		}
		cancelled = cancelled || err == nil && reasons[i].Code != "None"
		changes[i] = made
		size += max(made.old.Size(), made.next.Size())
	}
	if cancelled {
		return nil, cancellation(reasons)
	}
	if size > maxTransactBytes {
		return nil, invalidf("Transaction payload size has exceeded the maximum allowed size of %d bytes", maxTransactBytes)
	}
	return changes, nil
}

// reasonFor turns a refusal into a reason; other errors stay errors.
func reasonFor(err error) (cancellationReason, error) {
	var refusal *awsjson.Error
	err = refuse(err)
	switch {
	case err == nil:
		return cancellationReason{Code: "None"}, nil
	case !errors.As(err, &refusal):
		return cancellationReason{}, err
	}
	item, _ := refusal.Fields["Item"].(ddb.Item)
	switch refusal.Code {
	case "ConditionalCheckFailedException":
		return cancellationReason{Code: "ConditionalCheckFailed", Message: refusal.Message, Item: item}, nil
	case "ValidationException":
		return cancellationReason{Code: "ValidationError", Message: refusal.Message}, nil
	default:
		return cancellationReason{}, err
	}
}

func cancellation(reasons []cancellationReason) error {
	codes := make([]string, len(reasons))
	for i, reason := range reasons {
		codes[i] = reason.Code
	}
	refusal := awsjson.Errorf("TransactionCanceledException", "Transaction cancelled, please refer cancellation reasons for specific reasons [%s]", strings.Join(codes, ", "))
	refusal.Fields = map[string]any{"CancellationReasons": reasons}
	return refusal
}

type (
	transactGetItemsInput struct {
		TransactItems          []transactGetItem
		ReturnConsumedCapacity string
	}
	transactGetItem struct {
		Get *struct {
			TableName                string
			Key                      ddb.Item
			ProjectionExpression     *string
			ExpressionAttributeNames map[string]string
		}
	}
	transactGetItemsOutput struct {
		Responses        []getItemOutput
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
)

func (db *DB) transactGetItems(in *transactGetItemsInput) (*transactGetItemsOutput, error) {
	meter, err := newMeter(in.ReturnConsumedCapacity, 2)
	if err != nil {
		return nil, err
	}
	if n := len(in.TransactItems); n == 0 || n > maxTransactItems {
		return nil, invalidf("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d and greater than or equal to 1", maxTransactItems)
	}
	gets := make([]get, len(in.TransactItems))
	seen := map[string]bool{}
	for i, item := range in.TransactItems {
		if item.Get == nil {
			return nil, invalidf("TransactItems can only contain Get")
		}
		projection, err := parseProjection(item.Get.ProjectionExpression, item.Get.ExpressionAttributeNames)
		if err != nil {
			return nil, err
		}
		if gets[i], err = db.newGet(item.Get.TableName, item.Get.Key, projection, true); err != nil {
			return nil, err
		}
		id := gets[i].table.Name + "\x00" + string(storageKey(gets[i].table.Key, gets[i].key))
		if seen[id] {
			return nil, invalidf("Transaction request cannot include multiple operations on one item")
		}
		seen[id] = true
	}
	out := &transactGetItemsOutput{Responses: make([]getItemOutput, len(gets))}
	size := 0
	err = db.file.View(func(tx *bolt.Tx) error {
		for i, g := range gets {
			item, err := g.table.read(tx, storageKey(g.table.Key, g.key))
			if err != nil {
				return err
			}
			meter.read(g.table, "", item.Size())
			size += item.Size()
			if item != nil {
				out.Responses[i].Item = g.projection.Apply(item)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if size > maxTransactBytes {
		return nil, invalidf("Transaction payload size has exceeded the maximum allowed size of %d bytes", maxTransactBytes)
	}
	for _, c := range meter.tables {
		c.ReadCapacityUnits = c.CapacityUnits
	}
	out.ConsumedCapacity = meter.tables
	return out, nil
}

// canonical writes a value as JSON with the names of maps in order.
func canonical(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: encoding a request: %w", err)
	}
	return data, nil
}
