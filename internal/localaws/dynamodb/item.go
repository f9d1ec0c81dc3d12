package dynamodb

import (
	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// Members that several requests share. ReturnItemCollectionMetrics speaks of
// local indexes, which no table here has, so that it never adds anything.
type writeOptions struct {
	TableName                           string
	ConditionExpression                 *string
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
}

type (
	putItemInput struct {
		writeOptions `json:",inline"`
		expressions  `json:",inline"`
		Item         ddb.Item
	}
	updateItemInput struct {
		writeOptions     `json:",inline"`
		expressions      `json:",inline"`
		Key              ddb.Item
		UpdateExpression *string
	}
	deleteItemInput struct {
		writeOptions `json:",inline"`
		expressions  `json:",inline"`
		Key          ddb.Item
	}
	getItemInput struct {
		TableName                string
		Key                      ddb.Item
		ConsistentRead           bool
		ProjectionExpression     *string
		ExpressionAttributeNames map[string]string
		ReturnConsumedCapacity   string
	}
	writeOutput struct {
		Attributes       ddb.Item          `json:",omitempty"`
		ConsumedCapacity *consumedCapacity `json:",omitempty"`
	}
	getItemOutput struct {
		Item             ddb.Item          `json:",omitzero"`
		ConsumedCapacity *consumedCapacity `json:",omitempty"`
	}
)

func (o *writeOptions) check(returnValues ...string) (*meter, error) {
	if o.TableName == "" {
		return nil, invalidf("The parameter 'TableName' is required but was not present in the request")
	}
	if err := oneOf("returnValues", o.ReturnValues, append(returnValues, "NONE", "ALL_OLD")...); err != nil {
		return nil, err
	}
	if err := oneOf("returnValuesOnConditionCheckFailure", o.ReturnValuesOnConditionCheckFailure, "ALL_OLD", "NONE"); err != nil {
		return nil, err
	}
	if err := oneOf("returnItemCollectionMetrics", o.ReturnItemCollectionMetrics, "SIZE", "NONE"); err != nil {
		return nil, err
	}
	return newMeter(o.ReturnConsumedCapacity, 1)
}

// mutation parses a write's expressions.
func (o *writeOptions) mutation(action string, item ddb.Item, e *expressions, update *string) (*mutation, error) {
	m := &mutation{action: action, table: o.TableName, item: item, returnOld: o.ReturnValuesOnConditionCheckFailure == "ALL_OLD"}
	return m, e.parse(o.ConditionExpression != nil || update != nil, func(s *ddb.Scope) (err error) {
		if m.update, err = optional(update, s.Update); err != nil {
			return err
		}
		m.condition, err = optional(o.ConditionExpression, s.Condition)
		return err
	})
}

func (db *DB) putItem(in *putItemInput) (*writeOutput, error) {
	return db.write(&in.writeOptions, putting, in.Item, &in.expressions, nil)
}

func (db *DB) updateItem(in *updateItemInput) (*writeOutput, error) {
	return db.write(&in.writeOptions, updating, in.Key, &in.expressions, in.UpdateExpression)
}

func (db *DB) deleteItem(in *deleteItemInput) (*writeOutput, error) {
	return db.write(&in.writeOptions, deleting, in.Key, &in.expressions, nil)
}

func (db *DB) write(o *writeOptions, action string, item ddb.Item, e *expressions, update *string) (*writeOutput, error) {
	var more []string
	if action == updating {
		more = []string{"ALL_NEW", "UPDATED_OLD", "UPDATED_NEW"}
	}
	meter, err := o.check(more...)
	if err != nil {
		return nil, err
	}
	m, err := o.mutation(action, item, e, update)
	if err != nil {
		return nil, err
	}
	made, err := db.runAll([]*mutation{m})
	if err != nil {
		return nil, err
	}
	meter.wrote(made[0])
	return &writeOutput{Attributes: returned(o.ReturnValues, m.update, made[0]), ConsumedCapacity: meter.one()}, nil
}

// returned is what ReturnValues asks for.
func returned(wanted string, update *ddb.Update, made change) ddb.Item {
	switch wanted {
	case "ALL_OLD":
		return made.old
	case "ALL_NEW":
		return made.next
	case "UPDATED_OLD":
		if update != nil {
			return update.Pick(made.old)
		}
	case "UPDATED_NEW":
		if update != nil {
			return update.Pick(made.next)
		}
	}
	return nil
}

func (db *DB) getItem(in *getItemInput) (*getItemOutput, error) {
	meter, err := newMeter(in.ReturnConsumedCapacity, consistency(in.ConsistentRead))
	if err != nil {
		return nil, err
	}
	projection, err := parseProjection(in.ProjectionExpression, in.ExpressionAttributeNames)
	if err != nil {
		return nil, err
	}
	t, err := db.find(in.TableName)
	if err != nil {
		return nil, err
	}
	if err := t.checkKey(in.Key); err != nil {
		return nil, err
	}
	var item ddb.Item
	err = db.file.View(func(tx *bolt.Tx) (err error) {
		item, err = t.read(tx, storageKey(t.Key, in.Key))
		return err
	})
	if err != nil {
		return nil, err
	}
	meter.read(t, "", item.Size())
	out := &getItemOutput{ConsumedCapacity: meter.one()}
	if item != nil {
		out.Item = projection.Apply(item)
	}
	return out, nil
}

// parseProjection parses the projection of a request without values.
func parseProjection(expr *string, names map[string]string) (projection *ddb.Projection, err error) {
	e := expressions{ExpressionAttributeNames: names}
	err = e.parse(expr != nil, func(s *ddb.Scope) error {
		projection, err = s.Projection(*expr)
		return err
	})
	return projection, err
}
