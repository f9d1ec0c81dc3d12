package dynamodb

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
)

// A model is a table without an engine: items in a map, queries by looking at
// every one of them.
type model map[string]ddb.Item

// query gives the items that meet a condition, sorted by the given attributes.
func (m model) query(t *testing.T, condition string, values ddb.Item, sortedBy []string, has string) []ddb.Item {
	t.Helper()
	c, err := ddb.ParseCondition(condition, nil, values)
	if err != nil {
		t.Fatal(err)
	}
	var found []ddb.Item
	for _, candidate := range m {
		if ok, _ := c.Eval(candidate); ok && candidate[has].Exists() {
			found = append(found, candidate)
		}
	}
	slices.SortFunc(found, func(a, b ddb.Item) int {
		order := 0
		for _, name := range sortedBy {
			by, _ := ddb.Compare(a[name], b[name])
			order = cmp.Or(order, by)
		}
		return order
	})
	return found
}

// write makes a random change in both the table and the model.
func (m model) write(t *testing.T, f *fixture, table *string, random *rand.Rand) {
	t.Helper()
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	pk, sk := pick("a", "a#", "a\x00", "b"), pick("", "j", "jo")+fmt.Sprint(random.IntN(12))
	key := ddb.Item{"pk": ddb.S(pk), "sk": ddb.S(sk)}
	id := pk + "\xFF" + sk
	if random.IntN(4) == 0 {
		if _, err := f.DeleteItem(context.Background(), &dynamodb.DeleteItemInput{TableName: table, Key: sdk.ItemToSDK(key)}); err != nil {
			t.Fatal(err)
		}
		delete(m, id)
		return
	}
	written := ddb.Item{"pk": key["pk"], "sk": key["sk"], "v": ddb.Int(int64(random.IntN(5)))}
	if random.IntN(2) == 0 { // else not in the index
		number, err := ddb.ParseNumber(pick("-1.5", "0", "2", "10", "1e20"))
		if err != nil {
			t.Fatal(err)
		}
		written["due_slot"], written["due_ms"] = ddb.S(pick("s", "s2")), ddb.N(number)
	}
	if _, err := f.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: table, Item: sdk.ItemToSDK(written)}); err != nil {
		t.Fatal(err)
	}
	m[id] = written
}

// Whatever was written, and whatever the size of the pages, a query answers
// what looking at all items answers.
func TestQueryAgainstModel(t *testing.T) {
	f := newFixture(t)
	table := f.table(t)
	random := rand.New(rand.NewPCG(1, 2))
	m := model{}
	queries := []struct {
		index, condition string
		values           string
	}{
		{"", "pk = :p", `{':p':{'S':'a'}}`},
		{"", "pk = :p AND sk > :s", `{':p':{'S':'a#'},':s':{'S':'j5'}}`},
		{"", "pk = :p AND sk BETWEEN :s AND :t", `{':p':{'S':'a'},':s':{'S':'1'},':t':{'S':'jo'}}`},
		{"", "pk = :p AND begins_with(sk, :s)", `{':p':{'S':'b'},':s':{'S':'jo'}}`},
		{"due", "due_slot = :p", `{':p':{'S':'s'}}`},
		{"due", "due_slot = :p AND due_ms <= :n", `{':p':{'S':'s'},':n':{'N':'2'}}`},
		{"due", "due_slot = :p AND due_ms > :n", `{':p':{'S':'s2'},':n':{'N':'-1.5'}}`},
	}
	for round := range 60 {
		for range 10 {
			m.write(t, f, table, random)
		}
		q := queries[round%len(queries)]
		values, err := sdk.ItemFromSDK(item(t, q.values))
		if err != nil {
			t.Fatal(err)
		}
		sortedBy, has := []string{"sk"}, "sk"
		if q.index != "" {
			sortedBy, has = []string{"due_ms", "pk", "sk"}, "due_ms"
		}
		want := m.query(t, q.condition, values, sortedBy, has)
		backward := random.IntN(2) == 0
		if backward {
			slices.Reverse(want)
		}
		got := f.queryAll(t, dynamodb.QueryInput{
			TableName: table, KeyConditionExpression: aws.String(q.condition), ExpressionAttributeValues: item(t, q.values),
			ScanIndexForward: aws.Bool(!backward), Limit: aws.Int32(int32(1 + random.IntN(4))), IndexName: optionalName(q.index),
		})
		var wanted []string
		for _, w := range want {
			kept := sdk.ItemToSDK(w)
			if q.index != "" {
				delete(kept, "v") // keys only
			}
			wanted = append(wanted, text(t, kept))
		}
		if !slices.Equal(got, wanted) {
			t.Fatalf("%s %s, backward %v:\n got %s\nwant %s", q.index, q.condition, backward, strings.Join(got, " "), strings.Join(wanted, " "))
		}
	}
	if got := f.scanAll(t, table, 3); len(got) != len(m) {
		t.Errorf("three segments give %d items of %d", len(got), len(m))
	}
}

func optionalName(name string) *string {
	if name == "" {
		return nil
	}
	return &name
}

func (f *fixture) queryAll(t *testing.T, in dynamodb.QueryInput) []string {
	t.Helper()
	var all []string
	pages := dynamodb.NewQueryPaginator(f, &in)
	for pages.HasMorePages() {
		page, err := pages.NextPage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range page.Items {
			all = append(all, text(t, found))
		}
	}
	return all
}

func (f *fixture) scanAll(t *testing.T, table *string, segments int32) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for segment := range segments {
		pages := dynamodb.NewScanPaginator(f, &dynamodb.ScanInput{TableName: table, Segment: &segment, TotalSegments: &segments, Limit: aws.Int32(3)})
		for pages.HasMorePages() {
			page, err := pages.NextPage(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range page.Items {
				one := text(t, found)
				if all[one] {
					t.Errorf("%s is in two pages", one)
				}
				all[one] = true
			}
		}
	}
	return all
}

func TestFilterCountsAndProjection(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	for i := range 6 {
		f.put(t, table, fmt.Sprintf(`{'pk':{'S':'p'},'sk':{'S':'%d'},'n':{'N':'%d'},'m':{'M':{'a':{'N':'%d'},'b':{'N':'1'}}}}`, i, i, i))
	}
	in := &dynamodb.QueryInput{
		TableName: table, KeyConditionExpression: aws.String("pk = :p"), FilterExpression: aws.String("n >= :n"), Limit: aws.Int32(4),
		ProjectionExpression: aws.String("m.a"), ExpressionAttributeValues: item(t, `{':p':{'S':'p'},':n':{'N':'3'}}`),
	}
	out, err := f.Query(ctx, in)
	if err != nil || out.Count != 1 || out.ScannedCount != 4 || text(t, out.Items[0]) != `{'m':{'M':{'a':{'N':'3'}}}}` || text(t, out.LastEvaluatedKey) != `{'pk':{'S':'p'},'sk':{'S':'3'}}` {
		t.Fatalf("%+v, %v", out, err)
	}
	in.ProjectionExpression, in.Select, in.Limit = nil, types.SelectCount, nil
	if out, err = f.Query(ctx, in); err != nil || out.Count != 3 || out.Items != nil || out.LastEvaluatedKey != nil {
		t.Errorf("COUNT: %+v, %v", out, err)
	}
}

func TestPagesEndAtOneMegabyte(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	for i := range 4 {
		f.put(t, table, fmt.Sprintf(`{'pk':{'S':'p'},'sk':{'S':'%d'},'x':{'S':'%s'}}`, i, strings.Repeat("x", 350_000)))
	}
	out, err := f.Scan(ctx, &dynamodb.ScanInput{TableName: table})
	if err != nil || out.Count != 2 || len(out.LastEvaluatedKey) != 2 {
		t.Errorf("a page of %d items, last key %v, %v", out.Count, out.LastEvaluatedKey, err)
	}
}

func TestReadMistakes(t *testing.T) {
	f, ctx := newFixture(t), context.Background()
	table := f.table(t)
	value := item(t, `{':p':{'S':'p'}}`)
	query := func(change func(*dynamodb.QueryInput)) error {
		in := &dynamodb.QueryInput{TableName: table, KeyConditionExpression: aws.String("pk = :p"), ExpressionAttributeValues: value}
		change(in)
		_, err := f.Query(ctx, in)
		return err
	}
	for message, change := range map[string]func(*dynamodb.QueryInput){
		"does not have the specified index: nope": func(in *dynamodb.QueryInput) { in.IndexName = aws.String("nope") },
		"Consistent reads are not supported": func(in *dynamodb.QueryInput) {
			in.IndexName, in.ConsistentRead, in.KeyConditionExpression = aws.String("due"), aws.Bool(true), aws.String("due_slot = :p")
		},
		"Filter Expression can only contain non-primary key attributes: Primary key attribute: sk": func(in *dynamodb.QueryInput) { in.FilterExpression = aws.String("sk = :p") },
		"its projection type is not ALL": func(in *dynamodb.QueryInput) {
			in.IndexName, in.Select, in.KeyConditionExpression = aws.String("due"), types.SelectAllAttributes, aws.String("due_slot = :p")
		},
		"does not project [x]": func(in *dynamodb.QueryInput) {
			in.IndexName, in.ProjectionExpression, in.KeyConditionExpression = aws.String("due"), aws.String("x"), aws.String("due_slot = :p")
		},
		"outside query boundaries":             func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = item(t, `{'pk':{'S':'q'},'sk':{'S':'1'}}`) },
		"The provided starting key is invalid": func(in *dynamodb.QueryInput) { in.ExclusiveStartKey = item(t, `{'pk':{'S':'p'}}`) },
		"unused in expressions: keys: {#u}":    func(in *dynamodb.QueryInput) { in.ExpressionAttributeNames = map[string]string{"#u": "u"} },
		"'limit'":                              func(in *dynamodb.QueryInput) { in.Limit = aws.Int32(0) },
	} {
		wantCode(t, message, query(change), "ValidationException", message)
	}
	_, err := f.Scan(ctx, &dynamodb.ScanInput{TableName: table, Segment: aws.Int32(3), TotalSegments: aws.Int32(3)})
	wantCode(t, "segment 3 of 3", err, "ValidationException", "is not less than TotalSegments")
}
