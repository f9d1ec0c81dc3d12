package dynamodb

import (
	"cmp"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

type (
	tag struct {
		Key   string
		Value string
	}
	createTableInput struct {
		TableName                 string
		AttributeDefinitions      []attributeDefinition
		KeySchema                 []keyElement
		BillingMode               string
		ProvisionedThroughput     *throughput
		GlobalSecondaryIndexes    []indexDefinition
		StreamSpecification       *streamSpecification
		SSESpecification          *sseSpecification
		TableClass                string
		DeletionProtectionEnabled bool
		OnDemandThroughput        *onDemandThroughput
		WarmThroughput            *warmThroughput
		Tags                      []tag
	}
	sseSpecification struct {
		Enabled        bool
		SSEType        string
		KMSMasterKeyId string
	}
	tableOutput struct {
		TableDescription *tableDescription
	}
	describeTableInput struct {
		TableName string
	}
	describeTableOutput struct {
		Table *tableDescription
	}
	listTablesInput struct {
		Limit                   *int
		ExclusiveStartTableName string
	}
	listTablesOutput struct {
		TableNames             []string
		LastEvaluatedTableName string `json:",omitempty"`
	}
)

func (db *DB) createTable(in *createTableInput) (*tableOutput, error) {
	t, err := in.table()
	if err != nil {
		return nil, err
	}
	err = db.writer.doAlone(func(tx *writeTx) error {
		created := *t
		if _, exists := (*db.catalog.Load())[t.Name]; exists {
			return awsjson.Errorf("ResourceInUseException", "Table already exists: %s", t.Name)
		}
		tx.dirty = true
		var err error
		if created.ID, err = tx.Bucket(tablesBucket).NextSequence(); err != nil {
			return err
		}
		created.Created = db.config.Now().UTC()
		if err := created.makeBuckets(tx); err != nil {
			return err
		}
		if s := in.StreamSpecification; s != nil && s.StreamEnabled {
			if err := db.openStream(tx, &created, s.StreamViewType); err != nil {
				return err
			}
		}
		return db.save(tx, &created)
	})
	if err != nil {
		return nil, err
	}
	return db.describe(t.Name)
}

// table checks the request and makes the definition of it.
func (in *createTableInput) table() (*table, error) {
	if err := checkName("tableName", in.TableName); err != nil {
		return nil, err
	}
	if err := checkAttributes(in.AttributeDefinitions); err != nil {
		return nil, err
	}
	if err := checkBilling(in.BillingMode, in.ProvisionedThroughput); err != nil {
		return nil, err
	}
	if err := oneOf("tableClass", in.TableClass, "STANDARD", "STANDARD_INFREQUENT_ACCESS"); err != nil {
		return nil, err
	}
	schema, err := keySchema(in.KeySchema, in.AttributeDefinitions)
	if err != nil {
		return nil, err
	}
	t := &table{
		Name: in.TableName, Attributes: in.AttributeDefinitions, Elements: in.KeySchema, Key: schema, TableClass: in.TableClass,
		BillingMode: cmp.Or(in.BillingMode, "PROVISIONED"), Throughput: in.ProvisionedThroughput, DeletionProtection: in.DeletionProtectionEnabled,
		Tags: map[string]string{},
	}
	for _, definition := range in.GlobalSecondaryIndexes {
		if err := t.addIndex(definition); err != nil {
			return nil, err
		}
	}
	for _, tag := range in.Tags {
		t.Tags[tag.Key] = tag.Value
	}
	return t, t.checkAllUsed()
}

func checkBilling(mode string, units *throughput) error {
	if err := oneOf("billingMode", mode, "PROVISIONED", "PAY_PER_REQUEST"); err != nil {
		return err
	}
	switch {
	case mode == "PAY_PER_REQUEST" && units != nil:
		return invalidf("One or more parameter values were invalid: Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is PAY_PER_REQUEST")
	case mode != "PAY_PER_REQUEST" && units == nil:
		return invalidf("One or more parameter values were invalid: ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is PROVISIONED")
	}
	return nil
}

// addIndex adds a checked index to a definition that is being made.
func (t *table) addIndex(definition indexDefinition) error {
	x, err := newIndex(definition, t.Attributes)
	if err != nil {
		return err
	}
	if _, err := t.index(definition.IndexName); err == nil {
		return invalidf("One or more parameter values were invalid: Duplicate index name: %s", definition.IndexName)
	}
	t.Indexes = append(slices.Clone(t.Indexes), x)
	if len(t.Indexes) > 20 {
		return awsjson.Errorf("LimitExceededException", "One or more parameter values were invalid: a table has 20 global secondary indexes at most")
	}
	return nil
}

func (t *table) makeBuckets(tx *writeTx) error {
	if _, err := tx.CreateBucket(t.itemsBucket()); err != nil {
		return err
	}
	for _, x := range t.Indexes {
		if _, err := tx.CreateBucket(t.indexBucket(x)); err != nil {
			return err
		}
	}
	return nil
}

func (db *DB) deleteTable(in *describeTableInput) (*tableOutput, error) {
	t, err := db.find(in.TableName)
	if err != nil {
		return nil, err
	}
	out, err := db.describe(t.Name)
	if err != nil {
		return nil, err
	}
	out.TableDescription.TableStatus = "DELETING"
	return out, db.writer.doAlone(func(tx *writeTx) error {
		current, err := db.find(in.TableName)
		if err != nil {
			return err
		}
		if current.DeletionProtection {
			return invalidf("Resource cannot be deleted as it is currently protected against deletion. Disable deletion protection first.")
		}
		return db.drop(tx, current)
	})
}

func (db *DB) drop(tx *writeTx, t *table) error {
	gone := *t
	if err := db.closeStream(tx, &gone); err != nil {
		return err
	}
	tx.dirty = true
	buckets := [][]byte{t.itemsBucket()}
	for _, x := range t.Indexes {
		buckets = append(buckets, t.indexBucket(x))
	}
	if t.TTL != "" {
		buckets = append(buckets, t.expiryBucket())
	}
	for _, bucket := range buckets {
		if err := tx.DeleteBucket(bucket); err != nil {
			return err
		}
	}
	tx.after = append(tx.after, func() { db.swapCatalog(func(c catalog) { delete(c, t.Name) }) })
	return tx.Bucket(tablesBucket).Delete([]byte(t.Name))
}

func (db *DB) describeTable(in *describeTableInput) (*describeTableOutput, error) {
	out, err := db.describe(in.TableName)
	if err != nil {
		return nil, err
	}
	return &describeTableOutput{Table: out.TableDescription}, nil
}

func (db *DB) describe(name string) (*tableOutput, error) {
	t, err := db.find(name)
	if err != nil {
		return nil, err
	}
	var description *tableDescription
	err = db.file.View(func(tx *bolt.Tx) error {
		description, err = db.description(tx, t)
		return err
	})
	return &tableOutput{TableDescription: description}, err
}

func (db *DB) listTables(in *listTablesInput) (*listTablesOutput, error) {
	limit, err := listLimit(in.Limit)
	if err != nil {
		return nil, err
	}
	out := &listTablesOutput{TableNames: []string{}}
	for _, name := range sortedNames(*db.catalog.Load()) {
		if name <= in.ExclusiveStartTableName {
			continue
		}
		if len(out.TableNames) == limit {
			out.LastEvaluatedTableName = out.TableNames[limit-1]
			break
		}
		out.TableNames = append(out.TableNames, name)
	}
	return out, nil
}

// epoch is a time in seconds, as the JSON protocol has it.
func epoch(t time.Time) float64 { return float64(t.UnixMilli()) / 1000 }
