package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func TestDescribeAndListTables(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'b'},'due_slot':{'S':'x'},'due_ms':{'N':'1'}}`)
	f.put(t, table, key1)
	out, err := f.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: table})
	if err != nil {
		t.Fatal(err)
	}
	d := out.Table
	if d.TableStatus != "ACTIVE" || *d.ItemCount != 2 || *d.GlobalSecondaryIndexes[0].ItemCount != 1 || d.BillingModeSummary.BillingMode != "PAY_PER_REQUEST" ||
		*d.TableArn != "arn:aws:dynamodb:us-east-1:000000000000:table/jobs" || *d.LatestStreamArn != *d.TableArn+"/stream/"+*d.LatestStreamLabel || d.CreationDateTime.Unix() != f.clock.now().Unix() {
		t.Errorf("%+v", d)
	}
	if byARN, err := f.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: d.TableArn}); err != nil || *byARN.Table.TableName != "jobs" {
		t.Errorf("by ARN: %v, %v", byARN, err)
	}
	_, err = f.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: table, BillingMode: "PAY_PER_REQUEST", KeySchema: d.KeySchema[:1],
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: "S"}},
	})
	wantCode(t, "again", err, "ResourceInUseException", "jobs")
	listed, err := f.ListTables(ctx, &dynamodb.ListTablesInput{})
	if err != nil || fmt.Sprint(listed.TableNames) != "[jobs]" {
		t.Errorf("list: %v, %v", listed, err)
	}
}

func TestDefinitionMistakes(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	s := func(names ...string) (list []types.AttributeDefinition) {
		for _, name := range names {
			list = append(list, types.AttributeDefinition{AttributeName: &name, AttributeType: "S"})
		}
		return list
	}
	for message, in := range map[string]dynamodb.CreateTableInput{
		"regular expression":       {TableName: aws.String("a b"), AttributeDefinitions: s("pk")},
		"not defined in Attribute": {TableName: aws.String("table"), AttributeDefinitions: s("other")},
		"are not used":             {TableName: aws.String("table"), AttributeDefinitions: s("pk", "other")},
		"must both be specified":   {TableName: aws.String("table"), AttributeDefinitions: s("pk"), BillingMode: "PROVISIONED"},
		"StreamViewType":           {TableName: aws.String("table"), AttributeDefinitions: s("pk"), StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(true)}},
	} {
		in.KeySchema = []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: "HASH"}}
		if in.BillingMode == "" {
			in.BillingMode = "PAY_PER_REQUEST"
		}
		_, err := f.CreateTable(ctx, &in)
		wantCode(t, message, err, "ValidationException", message)
	}
}

func TestIndexIsFilledAndDropped(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'1'},'word':{'S':'x'},'n':{'N':'7'},'other':{'S':'o'}}`)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'2'},'word':{'N':'5'}}`)
	f.put(t, table, `{'pk':{'S':'a'},'sk':{'S':'3'}}`)
	update := func(change types.GlobalSecondaryIndexUpdate) error {
		_, err := f.UpdateTable(ctx, &dynamodb.UpdateTableInput{
			TableName: table, AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("word"), AttributeType: "S"}},
			GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{change},
		})
		return err
	}
	if err := update(types.GlobalSecondaryIndexUpdate{Create: &types.CreateGlobalSecondaryIndexAction{
		IndexName: aws.String("words"), KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("word"), KeyType: "HASH"}},
		Projection: &types.Projection{ProjectionType: "INCLUDE", NonKeyAttributes: []string{"n"}},
	}}); err != nil {
		t.Fatal(err)
	}
	query := dynamodb.QueryInput{TableName: table, IndexName: aws.String("words"), KeyConditionExpression: aws.String("word = :w"), ExpressionAttributeValues: item(t, `{':w':{'S':'x'}}`)}
	if got := f.queryAll(t, query); fmt.Sprint(got) != `[{'n':{'N':'7'},'pk':{'S':'a'},'sk':{'S':'1'},'word':{'S':'x'}}]` {
		t.Errorf("filled: %s", got)
	}
	_, err := f.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: table, GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: aws.String("words")}}}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Query(ctx, &query)
	wantCode(t, "dropped", err, "ValidationException", "does not have the specified index")
}

// Changes of one table at the same time must not lose one another, though they
// all wait for the writer together.
func TestConcurrentTableChanges(t *testing.T) {
	f := newFixture(t)
	f.table(t)
	const arn = "arn:aws:dynamodb:us-east-1:000000000000:table/jobs"
	busy, release := make(chan struct{}), make(chan struct{})
	var callers, ready sync.WaitGroup
	callers.Go(func() {
		if err := f.db.writer.do(func(*writeTx) error { close(busy); <-release; return nil }); err != nil {
			t.Error(err)
		}
	})
	<-busy
	ready.Add(20)
	for i := range 20 {
		callers.Go(func() {
			ready.Done()
			if err := f.db.changeTags(arn, func(tags map[string]string) { tags[fmt.Sprint(i)] = "x" }); err != nil {
				t.Error(err)
			}
		})
	}
	ready.Wait()
	close(release)
	callers.Wait()
	if out, err := f.db.listTagsOfResource(&listTagsInput{ResourceArn: arn}); err != nil || len(out.Tags) != 20 {
		t.Errorf("%v, %v", out, err)
	}
}

func TestTablesSurviveReopening(t *testing.T) {
	path := filepath.Join(t.TempDir(), "dynamodb.db")
	for round := range 2 {
		db, err := Open(Config{Path: path, SweepEvery: -1})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			_, err = db.createTable(&createTableInput{
				TableName: "kept", BillingMode: "PAY_PER_REQUEST", KeySchema: []keyElement{{"pk", "HASH"}},
				AttributeDefinitions: []attributeDefinition{{"pk", "N"}}, StreamSpecification: &streamSpecification{StreamEnabled: true, StreamViewType: "KEYS_ONLY"},
			})
		} else {
			_, err = db.describeTable(&describeTableInput{TableName: "kept"})
		}
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}
