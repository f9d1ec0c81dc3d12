package dynamodb

import (
	"fmt"
	"slices"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

type (
	updateTableInput struct {
		TableName                   string
		AttributeDefinitions        []attributeDefinition
		BillingMode                 string
		ProvisionedThroughput       *throughput
		GlobalSecondaryIndexUpdates []indexUpdate
		StreamSpecification         *streamSpecification
		SSESpecification            *sseSpecification
		TableClass                  string
		DeletionProtectionEnabled   *bool
		OnDemandThroughput          *onDemandThroughput
		WarmThroughput              *warmThroughput
	}
	indexUpdate struct {
		Create *indexDefinition
		Update *struct {
			IndexName             string
			ProvisionedThroughput *throughput
			OnDemandThroughput    *onDemandThroughput
			WarmThroughput        *warmThroughput
		}
		Delete *struct{ IndexName string }
	}
)

func (db *DB) updateTable(in *updateTableInput) (*tableOutput, error) {
	name := ""
	err := db.writer.doAlone(func(tx *writeTx) error {
		current, err := db.find(in.TableName)
		if err != nil {
			return err
		}
		t := *current
		name = t.Name
		if err := in.settings(&t); err != nil {
			return err
		}
		for _, update := range in.GlobalSecondaryIndexUpdates {
			if err := t.updateIndex(tx, update); err != nil {
				return err
			}
		}
		if err := t.checkAllUsed(); err != nil {
			return err
		}
		if in.StreamSpecification != nil {
			if err := db.switchStream(tx, &t, *in.StreamSpecification); err != nil {
				return err
			}
		}
		return db.save(tx, &t)
	})
	if err != nil {
		return nil, err
	}
	return db.describe(name)
}

func (in *updateTableInput) settings(t *table) error {
	if in.AttributeDefinitions != nil {
		if err := checkAttributes(in.AttributeDefinitions); err != nil {
			return err
		}
		merged, err := mergeAttributes(t.Attributes, in.AttributeDefinitions)
		if err != nil {
			return err
		}
		t.Attributes = merged
	}
	if in.BillingMode != "" || in.ProvisionedThroughput != nil {
		mode := in.BillingMode
		if mode == "" {
			mode = t.BillingMode
		}
		if err := checkBilling(mode, in.ProvisionedThroughput); err != nil {
			return err
		}
		t.BillingMode, t.Throughput = mode, in.ProvisionedThroughput
	}
	if in.TableClass != "" {
		if err := oneOf("tableClass", in.TableClass, "STANDARD", "STANDARD_INFREQUENT_ACCESS"); err != nil {
			return err
		}
		t.TableClass = in.TableClass
	}
	if in.DeletionProtectionEnabled != nil {
		t.DeletionProtection = *in.DeletionProtectionEnabled
	}
	return nil
}

// mergeAttributes adds definitions to those that are there, which keep their
// types.
func mergeAttributes(old, more []attributeDefinition) ([]attributeDefinition, error) {
	merged := slices.Clone(old)
	for _, a := range more {
		at := slices.IndexFunc(merged, func(b attributeDefinition) bool { return a.AttributeName == b.AttributeName })
		if at < 0 {
			merged = append(merged, a)
		} else if merged[at] != a {
			return nil, invalidf("One or more parameter values were invalid: Cannot redefine attribute '%s'", a.AttributeName)
		}
	}
	return merged, nil
}

func (t *table) updateIndex(tx *writeTx, update indexUpdate) error {
	switch {
	case update.Create != nil && update.Update == nil && update.Delete == nil:
		if err := t.addIndex(*update.Create); err != nil {
			return err
		}
		return t.backfill(tx, t.Indexes[len(t.Indexes)-1])
	case update.Delete != nil && update.Create == nil && update.Update == nil:
		return t.dropIndex(tx, update.Delete.IndexName)
	case update.Update != nil && update.Create == nil && update.Delete == nil:
		old, err := t.index(update.Update.IndexName)
		if err != nil {
			return err
		}
		changed := *old
		changed.Definition.ProvisionedThroughput = update.Update.ProvisionedThroughput
		t.Indexes = slices.Clone(t.Indexes)
		t.Indexes[slices.Index(t.Indexes, old)] = &changed
		return nil
	default:
		return invalidf("One or more parameter values were invalid: Exactly one of Create, Update and Delete must be given for an index")
	}
}

// backfill makes the entries of a new index. Items whose index key has a wrong
// type are left out, as AWS does.
func (t *table) backfill(tx *writeTx, x *index) error {
	tx.dirty = true
	bucket, err := tx.CreateBucket(t.indexBucket(x))
	if err != nil {
		return err
	}
	return tx.Bucket(t.itemsBucket()).ForEach(func(_, data []byte) error {
		item, err := ddb.DecodeItem(data)
		if err != nil {
			return fmt.Errorf("dynamodb: filling index %s: %w", x.Definition.IndexName, err)
		}
		if x.checkItem(item) != nil {
			return nil
		}
		key, entry := x.entry(t, item)
		if key == nil {
			return nil
		}
		return bucket.Put(key, ddb.AppendItem(nil, entry))
	})
}

// dropIndex removes an index, and the definitions of attributes that nothing
// else uses.
func (t *table) dropIndex(tx *writeTx, name string) error {
	x, err := t.index(name)
	if err != nil {
		return awsjson.Errorf("ResourceNotFoundException", "Requested resource not found: Index: %s", name)
	}
	tx.dirty = true
	t.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(other *index) bool { return other == x })
	t.Attributes = slices.DeleteFunc(slices.Clone(t.Attributes), func(a attributeDefinition) bool {
		probe := table{Key: t.Key, Indexes: t.Indexes, Attributes: []attributeDefinition{a}}
		return probe.checkAllUsed() != nil
	})
	return tx.DeleteBucket(t.indexBucket(x))
}

func (db *DB) switchStream(tx *writeTx, t *table, wanted streamSpecification) error {
	switch {
	case wanted.StreamEnabled && t.Stream != nil:
		return invalidf("Table already has an enabled stream: TableName: %s", t.Name)
	case wanted.StreamEnabled:
		return db.openStream(tx, t, wanted.StreamViewType)
	case t.Stream == nil:
		return invalidf("Table is not in a state where its stream can be disabled: TableName: %s has no enabled stream", t.Name)
	default:
		return db.closeStream(tx, t)
	}
}
