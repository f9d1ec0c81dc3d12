package dynamodb

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// maxExpiryAge is how long past its expiry an item is still deleted; AWS takes
// older times for mistakes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/howitworks-ttl.html
const maxExpiryAge = 5 * 365 * 24 * time.Hour

type (
	timeToLiveSpecification struct {
		AttributeName string
		Enabled       bool
	}
	updateTimeToLiveInput struct {
		TableName               string
		TimeToLiveSpecification timeToLiveSpecification
	}
	updateTimeToLiveOutput struct {
		TimeToLiveSpecification timeToLiveSpecification
	}
	timeToLiveDescription struct {
		AttributeName    string `json:",omitempty"`
		TimeToLiveStatus string
	}
	describeTimeToLiveOutput struct {
		TimeToLiveDescription timeToLiveDescription
	}
)

func (db *DB) updateTimeToLive(in *updateTimeToLiveInput) (*updateTimeToLiveOutput, error) {
	wanted := in.TimeToLiveSpecification
	err := db.writer.doAlone(func(tx *writeTx) error {
		current, err := db.find(in.TableName)
		if err != nil {
			return err
		}
		t := *current
		switch {
		case wanted.AttributeName == "":
			return invalidf("1 validation error detected: Value '' at 'timeToLiveSpecification.attributeName' failed to satisfy constraint: Member must have length greater than or equal to 1")
		case wanted.Enabled && t.TTL != "":
			return invalidf("TimeToLive is already enabled")
		case !wanted.Enabled && t.TTL == "":
			return invalidf("TimeToLive is already disabled")
		case !wanted.Enabled && t.TTL != wanted.AttributeName:
			return invalidf("TimeToLive is active on a different AttributeName: current AttributeName is %s", t.TTL)
		case wanted.Enabled:
			t.TTL = wanted.AttributeName
			err = t.indexExpiry(tx)
		default:
			t.TTL = ""
			tx.dirty = true
			err = tx.DeleteBucket(t.expiryBucket())
		}
		if err != nil {
			return err
		}
		return db.save(tx, &t)
	})
	if err != nil {
		return nil, err
	}
	return &updateTimeToLiveOutput{TimeToLiveSpecification: wanted}, nil
}

func (db *DB) describeTimeToLive(in *describeTableInput) (*describeTimeToLiveOutput, error) {
	t, err := db.find(in.TableName)
	if err != nil {
		return nil, err
	}
	description := timeToLiveDescription{AttributeName: t.TTL, TimeToLiveStatus: "ENABLED"}
	if t.TTL == "" {
		description.TimeToLiveStatus = "DISABLED"
	}
	return &describeTimeToLiveOutput{TimeToLiveDescription: description}, nil
}

// indexExpiry makes the table's index of expiries.
func (t *table) indexExpiry(tx *writeTx) error {
	tx.dirty = true
	bucket, err := tx.CreateBucket(t.expiryBucket())
	if err != nil {
		return err
	}
	return tx.Bucket(t.itemsBucket()).ForEach(func(key, data []byte) error {
		item, err := ddb.DecodeItem(data)
		if err != nil {
			return fmt.Errorf("dynamodb: table %s: %w", t.Name, err)
		}
		if at := t.expiryKey(item, key); at != nil {
			return bucket.Put(at, nil)
		}
		return nil
	})
}

// expiry is when an item's time to live ends, in Unix seconds. Only a whole,
// positive number counts.
func (t *table) expiry(item ddb.Item) (int64, bool) {
	seconds, whole := item[t.TTL].Number().Int64()
	return seconds, whole && seconds > 0 && item[t.TTL].Kind() == ddb.KindN
}

// expiryKey is an item's entry in the index of expiries, or nil.
func (t *table) expiryKey(item ddb.Item, key []byte) []byte {
	seconds, ok := t.expiry(item)
	if !ok || t.TTL == "" {
		return nil
	}
	return append(binary.BigEndian.AppendUint64(nil, uint64(seconds)), key...)
}

// applyExpiry keeps the index of expiries in step with a change.
func (c change) applyExpiry(tx *writeTx) error {
	if c.table.TTL == "" {
		return nil
	}
	old, next := c.table.expiryKey(c.old, c.key), c.table.expiryKey(c.next, c.key)
	if string(old) == string(next) {
		return nil
	}
	bucket := tx.Bucket(c.table.expiryBucket())
	if old != nil {
		if err := bucket.Delete(old); err != nil {
			return err
		}
	}
	if next != nil {
		return bucket.Put(next, nil)
	}
	return nil
}
