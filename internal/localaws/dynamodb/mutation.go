package dynamodb

import (
	"maps"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// The four things that a request can want of an item.
const (
	putting  = "Put"
	updating = "Update"
	deleting = "Delete"
	checking = "ConditionCheck"
)

// A mutation is one wanted change, parsed but not yet held against the store.
type mutation struct {
	action    string
	table     string
	item      ddb.Item // putting: the item; else its key
	condition *ddb.Condition
	update    *ddb.Update
	returnOld bool // the item comes with a failed condition
}

// target finds the table and checks the key.
func (m *mutation) target(db *DB) (*table, []byte, error) {
	t, err := db.find(m.table)
	if err != nil {
		return nil, nil, err
	}
	if m.action == putting {
		err = t.checkItem(m.item, "Item size has exceeded the maximum allowed size")
	} else {
		err = t.checkKey(m.item)
	}
	if err != nil {
		return nil, nil, err
	}
	return t, storageKey(t.Key, m.item), nil
}

// id names the item that a mutation is about.
func (m *mutation) id(db *DB) (string, error) {
	t, key, err := m.target(db)
	if err != nil {
		return "", err
	}
	return t.Name + "\x00" + string(key), nil
}

// prepare holds a mutation against the store and gives the change that it
// makes; it writes nothing. Its refusals are *awsjson.Error or
// *ddb.ValidationError.
func (m *mutation) prepare(db *DB, tx *writeTx) (change, error) {
	t, key, err := m.target(db)
	if err != nil {
		return change{}, err
	}
	old, err := t.read(tx.Tx, key)
	if err != nil {
		return change{}, err
	}
	holds, err := m.condition.Eval(old)
	if err != nil {
		return change{}, err
	}
	if !holds {
		return change{}, m.conditionFailed(old)
	}
	c := change{table: t, key: key, old: old}
	switch m.action {
	case putting:
		c.next = m.item
	case updating:
		c.next, err = m.updated(t, old)
	case checking:
		c.next = old
	}
	return c, err
}

func (m *mutation) conditionFailed(old ddb.Item) *awsjson.Error {
	refusal := awsjson.Errorf("ConditionalCheckFailedException", "The conditional request failed")
	if m.returnOld && old != nil {
		refusal.Fields = map[string]any{"Item": old}
	}
	return refusal
}

// updated applies the update; a missing item begins as its key.
func (m *mutation) updated(t *table, old ddb.Item) (ddb.Item, error) {
	base := old
	if base == nil {
		base = maps.Clone(m.item)
	}
	if m.update == nil {
		return base, nil
	}
	for _, name := range m.update.Attributes() {
		if name == t.Key.Hash.Name || name == t.Key.Range.Name {
			return nil, invalidf("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", name)
		}
	}
	next, err := m.update.Apply(base)
	if err != nil {
		return nil, err
	}
	return next, t.checkItem(next, "Item size to update has exceeded the maximum allowed size")
}

// runAll prepares and applies mutations, one after another, in one transaction
// of the writer. AWS promises less for a batch; that all or none are applied
// is one of its possible outcomes.
func (db *DB) runAll(mutations []*mutation) ([]change, error) {
	made := make([]change, len(mutations))
	err := db.writer.do(func(tx *writeTx) error {
		for i, m := range mutations {
			var err error
			if made[i], err = m.prepare(db, tx); err != nil {
				return err
			}
			if err := db.apply(tx, made[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return made, err
}
