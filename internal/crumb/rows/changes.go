package rows

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// Values are what the placeholders of expressions stand for: ":stars".
type Values map[string]any

// Absent is the condition that there is no such row.
const Absent = "attribute_not_exists(#pk)"

// Present is the condition that there is such a row.
const Present = "attribute_exists(#pk)"

// Changes are writes of rows that happen together or not at all. In their
// expressions a name placeholder stands for the attribute of the same name:
// #stars. They are for one goroutine.
type Changes struct {
	table    *Table
	writes   []store.Write
	problems []error
}

// Change begins a list of changes.
func (t *Table) Change() *Changes { return &Changes{table: t} }

// Put writes a row, over one that is there unless the condition says otherwise;
// empty means none.
func (c *Changes) Put(key Key, row any, condition string, values Values) *Changes {
	item, err := attributevalue.MarshalMap(row)
	if err != nil {
		return c.problem(key, err)
	}
	maps.Copy(item, key.item())
	return c.add(key, store.Write{Op: store.Put, Item: item, Condition: condition}, values)
}

// Update changes a row, and makes it where the condition does not forbid that.
func (c *Changes) Update(key Key, expression, condition string, values Values) *Changes {
	return c.add(key, store.Write{Op: store.Update, Key: key.item(), Update: expression, Condition: condition}, values)
}

// Delete takes a row away.
func (c *Changes) Delete(key Key, condition string, values Values) *Changes {
	return c.add(key, store.Write{Op: store.Delete, Key: key.item(), Condition: condition}, values)
}

// Check holds the other changes to a condition on a row that is not changed.
func (c *Changes) Check(key Key, condition string, values Values) *Changes {
	return c.add(key, store.Write{Op: store.Check, Key: key.item(), Condition: condition}, values)
}

func (c *Changes) add(key Key, w store.Write, values Values) *Changes {
	w.Table, w.Names = c.table.name, namesIn(w.Update+" "+w.Condition)
	if len(values) > 0 {
		marshalled, err := attributevalue.MarshalMap(values)
		if err != nil {
			return c.problem(key, err)
		}
		w.Values = marshalled
	}
	c.writes = append(c.writes, w)
	return c
}

func (c *Changes) problem(key Key, err error) *Changes {
	c.problems = append(c.problems, fmt.Errorf("rows: writing %v: %w", key, err))
	return c
}

// namesIn gives the attributes that an expression names; nil for none, since
// DynamoDB refuses an empty list.
func namesIn(expression string) map[string]string {
	var names map[string]string
	_, rest, more := strings.Cut(expression, "#")
	for more {
		end := strings.IndexFunc(rest, endsName)
		if end < 0 {
			end = len(rest)
		}
		if names == nil {
			names = map[string]string{}
		}
		names["#"+rest[:end]] = rest[:end]
		_, rest, more = strings.Cut(rest[end:], "#")
	}
	return names
}

func endsName(r rune) bool {
	return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
}

// Len is how many rows are changed; a transaction has at most 100 in all.
func (c *Changes) Len() int { return len(c.writes) }

// Writes gives the changes for a transaction that somebody else makes:
// worker.Commit takes them as they are, outbox.Transact each as an outbox.Write.
func (c *Changes) Writes() ([]store.Write, error) {
	return c.writes, errors.Join(c.problems...)
}

// Apply makes the changes: one by itself, several as a transaction, which waits
// out conflicts with others a few times. Where a condition did not hold the error
// is ErrCondition, and Old gives the row.
func (c *Changes) Apply(ctx context.Context) error {
	writes, err := c.Writes()
	switch {
	case err != nil:
		return err
	case len(writes) == 0:
		return nil
	case len(writes) == 1 && writes[0].Op != store.Check:
		_, err = c.table.driver.Write(ctx, writes[0])
	default:
		err = c.table.transact(ctx, writes...)
	}
	if err != nil {
		return fmt.Errorf("rows: writing %d rows: %w", len(writes), err)
	}
	return nil
}
