package dynamodb

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// The largest keys in bytes.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	maxHashKey  = 2048
	maxRangeKey = 1024
)

// spread is the first part of every storage key: a hash of the partition key.
// It makes a scan's segments intervals, and gives scans an order that, as in
// AWS, means nothing.
func spread(hash ddb.Value) []byte {
	h := fnv.New64a()
	_, _ = h.Write(ddb.AppendKey(nil, hash)) // never fails
	x := h.Sum64()
	x ^= x >> 32
	return binary.BigEndian.AppendUint32(nil, uint32(x*0x9E3779B1))
}

// storageKey encodes an item's key: spread, partition key, sort key.
func storageKey(schema ddb.KeySchema, item ddb.Item) []byte {
	hash := item[schema.Hash.Name]
	key := ddb.AppendKey(spread(hash), hash)
	if schema.Range.Name != "" {
		key = ddb.AppendKey(key, item[schema.Range.Name])
	}
	return key
}

// entryKey encodes the key of an item's entry in an index: the index's key,
// then the table's, which tells entries of equal index keys apart. It is nil
// where the item has no entry.
func (x *index) entryKey(t *table, item ddb.Item) []byte {
	for _, name := range keyNames(x.Key) {
		if !item[name].Exists() {
			return nil
		}
	}
	key := storageKey(x.Key, item)
	for _, name := range keyNames(t.Key) {
		key = ddb.AppendKey(key, item[name])
	}
	return key
}

// checkKey checks that a request's key is the table's key and nothing else.
func (t *table) checkKey(key ddb.Item) error {
	names := keyNames(t.Key)
	if len(key) != len(names) {
		return invalidf("The provided key element does not match the schema")
	}
	for i, attribute := range []ddb.KeyAttribute{t.Key.Hash, t.Key.Range}[:len(names)] {
		if key[attribute.Name].Kind() != attribute.Kind {
			return invalidf("The provided key element does not match the schema")
		}
		if err := checkKeyValue(attribute, key[attribute.Name], i == 0); err != nil {
			return err
		}
	}
	return nil
}

// checkItem checks the keys, index keys, names, nesting and size of an item
// that is to be stored.
func (t *table) checkItem(item ddb.Item, tooLarge string) error {
	for i, attribute := range []ddb.KeyAttribute{t.Key.Hash, t.Key.Range}[:len(keyNames(t.Key))] {
		value, ok := item[attribute.Name]
		if !ok {
			return invalidf("One or more parameter values were invalid: Missing the key %s in the item", attribute.Name)
		}
		if value.Kind() != attribute.Kind {
			return invalidf("One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s", attribute.Name, attribute.Kind, value.Kind())
		}
		if err := checkKeyValue(attribute, value, i == 0); err != nil {
			return err
		}
	}
	for _, x := range t.Indexes {
		if err := x.checkItem(item); err != nil {
			return err
		}
	}
	for name, value := range item {
		if name == "" {
			return invalidf("One or more parameter values were invalid: Attribute name must not be empty")
		}
		if value.Depth() > ddb.MaxDepth {
			return invalidf("Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit")
		}
	}
	if item.Size() > ddb.MaxItemSize {
		return invalidf("%s", tooLarge)
	}
	return nil
}

func checkKeyValue(attribute ddb.KeyAttribute, value ddb.Value, hash bool) error {
	size, limit, which := value.Size(), maxRangeKey, "range"
	if hash {
		limit, which = maxHashKey, "hash"
	}
	if size == 0 {
		return invalidf("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", longKind(attribute.Kind), attribute.Name)
	}
	if size > limit {
		return invalidf("One or more parameter values were invalid: Size of %skey has exceeded the maximum size limit of%d bytes", which, limit)
	}
	return nil
}

func longKind(kind ddb.Kind) string {
	if kind == ddb.KindB {
		return "binary"
	}
	return "string"
}

func (x *index) checkItem(item ddb.Item) error {
	for i, attribute := range []ddb.KeyAttribute{x.Key.Hash, x.Key.Range}[:len(keyNames(x.Key))] {
		value, ok := item[attribute.Name]
		if !ok {
			continue
		}
		if value.Kind() != attribute.Kind {
			return invalidf("One or more parameter values were invalid: Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s", attribute.Name, attribute.Kind, value.Kind(), x.Definition.IndexName)
		}
		if value.Size() == 0 {
			return invalidf("One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s", longKind(value.Kind()), x.Definition.IndexName, attribute.Name)
		}
		if err := checkKeyValue(attribute, value, i == 0); err != nil {
			return err
		}
	}
	return nil
}
