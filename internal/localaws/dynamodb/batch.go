package dynamodb

import (
	"slices"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// The limits of batches.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
const (
	maxBatchWrite = 25
	maxBatchGet   = 100
	maxBatchBytes = 16 << 20
)

type (
	batchWriteItemInput struct {
		RequestItems                map[string][]writeRequest
		ReturnConsumedCapacity      string
		ReturnItemCollectionMetrics string
	}
	writeRequest struct {
		PutRequest    *struct{ Item ddb.Item } `json:",omitempty"`
		DeleteRequest *struct{ Key ddb.Item }  `json:",omitempty"`
	}
	batchWriteItemOutput struct {
		UnprocessedItems map[string][]writeRequest
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
	batchGetItemInput struct {
		RequestItems           map[string]keysAndAttributes
		ReturnConsumedCapacity string
	}
	keysAndAttributes struct {
		Keys                     []ddb.Item
		ConsistentRead           bool              `json:",omitempty"`
		ProjectionExpression     *string           `json:",omitempty"`
		ExpressionAttributeNames map[string]string `json:",omitempty"`
	}
	batchGetItemOutput struct {
		Responses        map[string][]ddb.Item
		UnprocessedKeys  map[string]keysAndAttributes
		ConsumedCapacity []*consumedCapacity `json:",omitempty"`
	}
)

// sortedNames are a map's keys in order, so that a request always runs alike.
func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (db *DB) batchWriteItem(in *batchWriteItemInput) (*batchWriteItemOutput, error) {
	meter, err := newMeter(in.ReturnConsumedCapacity, 1)
	if err != nil {
		return nil, err
	}
	mutations, err := in.mutations()
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{}
	for _, m := range mutations {
		id, err := m.id(db)
		if err != nil {
			return nil, err
		}
		if seen[id] {
			return nil, invalidf("Provided list of item keys contains duplicates")
		}
		seen[id] = true
	}
	made, err := db.runAll(mutations)
	if err != nil {
		return nil, err
	}
	for _, c := range made {
		meter.wrote(c)
	}
	return &batchWriteItemOutput{UnprocessedItems: map[string][]writeRequest{}, ConsumedCapacity: meter.tables}, nil
}

func (in *batchWriteItemInput) mutations() ([]*mutation, error) {
	var mutations []*mutation
	for _, name := range sortedNames(in.RequestItems) {
		if len(in.RequestItems[name]) == 0 {
			return nil, invalidf("1 validation error detected: Value at 'requestItems.%s.member' failed to satisfy constraint: Member must have length greater than or equal to 1", name)
		}
		for _, request := range in.RequestItems[name] {
			switch {
			case request.PutRequest != nil && request.DeleteRequest == nil:
				mutations = append(mutations, &mutation{action: putting, table: name, item: request.PutRequest.Item})
			case request.DeleteRequest != nil && request.PutRequest == nil:
				mutations = append(mutations, &mutation{action: deleting, table: name, item: request.DeleteRequest.Key})
			default:
				return nil, invalidf("Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes: a WriteRequest is either a PutRequest or a DeleteRequest")
			}
		}
	}
	if len(mutations) == 0 || len(mutations) > maxBatchWrite {
		return nil, invalidf("1 validation error detected: Value at 'requestItems' failed to satisfy constraint: Member must have length less than or equal to %d and greater than or equal to 1", maxBatchWrite)
	}
	return mutations, nil
}

// A get is one item to read.
type get struct {
	table      *table
	key        ddb.Item
	projection *ddb.Projection
	strong     bool
}

func (db *DB) newGet(table string, key ddb.Item, projection *ddb.Projection, strong bool) (get, error) {
	t, err := db.find(table)
	if err != nil {
		return get{}, err
	}
	return get{table: t, key: key, projection: projection, strong: strong}, t.checkKey(key)
}

func (db *DB) batchGetItem(in *batchGetItemInput) (*batchGetItemOutput, error) {
	meter, err := newMeter(in.ReturnConsumedCapacity, 1)
	if err != nil {
		return nil, err
	}
	gets, err := db.gets(in)
	if err != nil {
		return nil, err
	}
	out := &batchGetItemOutput{Responses: map[string][]ddb.Item{}, UnprocessedKeys: map[string]keysAndAttributes{}}
	for name := range in.RequestItems {
		out.Responses[name] = []ddb.Item{}
	}
	size := 0
	err = db.file.View(func(tx *bolt.Tx) error {
		for i, g := range gets.list {
			name := gets.names[i]
			item, err := g.table.read(tx, storageKey(g.table.Key, g.key))
			if err != nil {
				return err
			}
			size += item.Size()
			if size > maxBatchBytes {
				rest := in.RequestItems[name]
				rest.Keys = append(out.UnprocessedKeys[name].Keys, g.key)
				out.UnprocessedKeys[name] = rest
				continue
			}
			meter.factor = consistency(g.strong)
			meter.read(g.table, "", item.Size())
			if item != nil {
				out.Responses[name] = append(out.Responses[name], g.projection.Apply(item))
			}
		}
		return nil
	})
	out.ConsumedCapacity = meter.tables
	return out, err
}

// batchGets are the items to read and, in step, the names by which the request
// calls their tables.
type batchGets struct {
	list  []get
	names []string
}

func (db *DB) gets(in *batchGetItemInput) (batchGets, error) {
	var gets batchGets
	for _, name := range sortedNames(in.RequestItems) {
		request := in.RequestItems[name]
		projection, err := parseProjection(request.ProjectionExpression, request.ExpressionAttributeNames)
		if err != nil {
			return gets, err
		}
		if len(request.Keys) == 0 {
			return gets, invalidf("1 validation error detected: Value at 'requestItems.%s.member.keys' failed to satisfy constraint: Member must have length greater than or equal to 1", name)
		}
		seen := map[string]bool{}
		for _, key := range request.Keys {
			g, err := db.newGet(name, key, projection, request.ConsistentRead)
			if err != nil {
				return gets, err
			}
			id := string(storageKey(g.table.Key, key))
			if seen[id] {
				return gets, invalidf("Provided list of item keys contains duplicates")
			}
			seen[id] = true
			gets.list, gets.names = append(gets.list, g), append(gets.names, name)
		}
	}
	if len(gets.list) == 0 || len(gets.list) > maxBatchGet {
		return gets, invalidf("Too many or no items requested for the BatchGetItem call: %d, must be 1 to %d", len(gets.list), maxBatchGet)
	}
	return gets, nil
}
