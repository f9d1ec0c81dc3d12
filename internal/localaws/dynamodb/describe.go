package dynamodb

import (
	"cmp"
	"fmt"

	bolt "go.etcd.io/bbolt"
)

type (
	onDemandThroughput struct {
		MaxReadRequestUnits  int64
		MaxWriteRequestUnits int64
	}
	warmThroughput struct {
		ReadUnitsPerSecond  int64
		WriteUnitsPerSecond int64
	}
	throughputDescription struct {
		NumberOfDecreasesToday int64
		ReadCapacityUnits      int64
		WriteCapacityUnits     int64
	}
	billingModeSummary struct {
		BillingMode string
	}
	tableClassSummary struct {
		TableClass string
	}
	indexDescription struct {
		IndexArn              string
		IndexName             string
		IndexSizeBytes        int
		IndexStatus           string
		ItemCount             int
		KeySchema             []keyElement
		Projection            *projection
		ProvisionedThroughput throughputDescription
	}
	tableDescription struct {
		AttributeDefinitions      []attributeDefinition
		BillingModeSummary        *billingModeSummary `json:",omitempty"`
		CreationDateTime          float64
		DeletionProtectionEnabled bool
		GlobalSecondaryIndexes    []indexDescription `json:",omitempty"`
		ItemCount                 int
		KeySchema                 []keyElement
		LatestStreamArn           string `json:",omitempty"`
		LatestStreamLabel         string `json:",omitempty"`
		ProvisionedThroughput     throughputDescription
		StreamSpecification       *streamSpecification `json:",omitempty"`
		TableArn                  string
		TableClassSummary         *tableClassSummary `json:",omitempty"`
		TableId                   string
		TableName                 string
		TableSizeBytes            int
		TableStatus               string
	}
)

// description describes a table as it stands in tx. Counts are exact, sizes
// are those of the stored form.
func (db *DB) description(tx *bolt.Tx, t *table) (*tableDescription, error) {
	items := tx.Bucket(t.itemsBucket())
	if items == nil {
		return nil, errNoTable(t.Name)
	}
	stats := items.Stats()
	d := &tableDescription{
		AttributeDefinitions: t.Attributes, CreationDateTime: epoch(t.Created), DeletionProtectionEnabled: t.DeletionProtection,
		ItemCount: stats.KeyN, KeySchema: t.Elements, ProvisionedThroughput: describeThroughput(t.Throughput),
		TableArn: db.tableARN(t.Name), TableId: fmt.Sprintf("00000000-0000-4000-8000-%012x", t.ID), TableName: t.Name,
		TableSizeBytes: stats.LeafInuse, TableStatus: "ACTIVE", TableClassSummary: &tableClassSummary{cmp.Or(t.TableClass, "STANDARD")},
	}
	if t.BillingMode == "PAY_PER_REQUEST" {
		d.BillingModeSummary = &billingModeSummary{t.BillingMode}
	}
	if t.LatestStream != nil {
		d.LatestStreamArn, d.LatestStreamLabel = t.LatestStream.ARN, t.LatestStream.Label
	}
	if t.Stream != nil {
		d.StreamSpecification = &streamSpecification{StreamEnabled: true, StreamViewType: t.Stream.View}
	}
	for _, x := range t.Indexes {
		stats := tx.Bucket(t.indexBucket(x)).Stats()
		d.GlobalSecondaryIndexes = append(d.GlobalSecondaryIndexes, indexDescription{
			IndexArn: db.tableARN(t.Name) + "/index/" + x.Definition.IndexName, IndexName: x.Definition.IndexName, IndexStatus: "ACTIVE",
			IndexSizeBytes: stats.LeafInuse, ItemCount: stats.KeyN, KeySchema: x.Definition.KeySchema, Projection: x.Definition.Projection,
			ProvisionedThroughput: describeThroughput(x.Definition.ProvisionedThroughput),
		})
	}
	return d, nil
}

func describeThroughput(units *throughput) throughputDescription {
	if units == nil {
		return throughputDescription{}
	}
	return throughputDescription{ReadCapacityUnits: units.ReadCapacityUnits, WriteCapacityUnits: units.WriteCapacityUnits}
}
