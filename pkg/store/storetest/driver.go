package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/store"
)

func s(v string) types.AttributeValue { return &types.AttributeValueMemberS{Value: v} }
func n(v int) types.AttributeValue    { return &types.AttributeValueMemberN{Value: fmt.Sprint(v)} }

func key(name string) store.Item {
	return store.Item{store.PartitionKey: s(name), store.SortKey: s("row")}
}

func row(name string, fields store.Item) store.Item {
	item := key(name)
	for k, v := range fields {
		item[k] = v
	}
	return item
}

func runDriver(t *testing.T, construct Constructor) {
	tests := map[string]func(*testing.T, store.Driver){
		"absent rows are nil":                      absent,
		"a condition that fails gives the row":     conditionGivesRow,
		"update answers the new row":               updateAnswers,
		"delete":                                   deletes,
		"rows over 400 KB are refused":             tooLarge,
		"one of many puts wins":                    oneWins,
		"transactions are all or nothing":          transactAll,
		"a repeated token is one transaction":      transactToken,
		"query pages through the due index":        queryPages,
		"query reads a partition from its end":     queryDescending,
		"scan sees every row once, by segment":     scanSegments,
		"an ended context ends the call":           endedContext,
		"a check outside a transaction is a fault": loneCheck,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, construct(t)) })
	}
}

func absent(t *testing.T, d store.Driver) {
	item, err := d.Get(t.Context(), key("nobody"))
	if item != nil || err != nil {
		t.Errorf("Get = %v, %v", item, err)
	}
}

func put(t *testing.T, d store.Driver, item store.Item) {
	t.Helper()
	if _, err := d.Write(t.Context(), store.Write{Op: store.Put, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func conditionGivesRow(t *testing.T, d store.Driver) {
	put(t, d, row("a", store.Item{"v": s("old")}))
	onlyNew := store.Write{Op: store.Put, Item: row("a", store.Item{"v": s("new")}), Condition: "attribute_not_exists(#pk)", Names: map[string]string{"#pk": store.PartitionKey}}
	_, err := d.Write(t.Context(), onlyNew)
	var failed *store.ConditionError
	if !errors.As(err, &failed) || !errors.Is(err, store.ErrCondition) {
		t.Fatalf("Write = %v, want a ConditionError", err)
	}
	if v, ok := failed.Old["v"].(*types.AttributeValueMemberS); !ok || v.Value != "old" {
		t.Errorf("the old row is %v", failed.Old)
	}
	_, err = d.Write(t.Context(), store.Write{
		Op: store.Update, Key: key("b"), Update: "SET #v = :v", Condition: "attribute_exists(#v)",
		Names: map[string]string{"#v": "v"}, Values: store.Item{":v": s("x")},
	})
	if !errors.As(err, &failed) || failed.Old != nil {
		t.Errorf("on no row: %v, old %v", err, failed.Old)
	}
}

func updateAnswers(t *testing.T, d store.Driver) {
	put(t, d, row("a", store.Item{"v": n(1)}))
	item, err := d.Write(t.Context(), store.Write{
		Op: store.Update, Key: key("a"), Update: "SET #v = #v + :one, #w = :w",
		Names: map[string]string{"#v": "v", "#w": "w"}, Values: store.Item{":one": n(1), ":w": s("x")},
	})
	if err != nil {
		t.Fatal(err)
	}
	if v, ok := item["v"].(*types.AttributeValueMemberN); !ok || v.Value != "2" {
		t.Errorf("v is %v", item["v"])
	}
	if item["w"] == nil || item[store.PartitionKey] == nil {
		t.Errorf("the answer is not the whole row: %v", item)
	}
}

func deletes(t *testing.T, d store.Driver) {
	put(t, d, row("a", nil))
	if _, err := d.Write(t.Context(), store.Write{Op: store.Delete, Key: key("a")}); err != nil {
		t.Fatal(err)
	}
	absentNow(t, d, "a")
}

func absentNow(t *testing.T, d store.Driver, name string) {
	t.Helper()
	if item, err := d.Get(t.Context(), key(name)); item != nil || err != nil {
		t.Errorf("%s: Get = %v, %v", name, item, err)
	}
}

func tooLarge(t *testing.T, d store.Driver) {
	_, err := d.Write(t.Context(), store.Write{Op: store.Put, Item: row("a", store.Item{"v": s(strings.Repeat("x", 400<<10))})})
	if !errors.Is(err, store.ErrTooLarge) {
		t.Errorf("Write = %v, want ErrTooLarge", err)
	}
}

func oneWins(t *testing.T, d store.Driver) {
	var wins, losses int
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			_, err := d.Write(t.Context(), store.Write{
				Op: store.Put, Item: row("a", store.Item{"by": n(i)}), Condition: "attribute_not_exists(#pk)",
				Names: map[string]string{"#pk": store.PartitionKey},
			})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				wins++
			case errors.Is(err, store.ErrCondition):
				losses++
			default:
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if wins != 1 || losses != 19 {
		t.Errorf("%d won and %d lost", wins, losses)
	}
}

func transactAll(t *testing.T, d store.Driver) {
	put(t, d, row("a", store.Item{"v": n(1)}))
	notThere := store.Write{Op: store.Check, Key: key("a"), Condition: "attribute_not_exists(#pk)", Names: map[string]string{"#pk": store.PartitionKey}}
	err := d.Transact(t.Context(), "t1", []store.Write{{Op: store.Put, Item: row("b", nil)}, notThere})
	var failed *store.ConditionError
	if !errors.As(err, &failed) || failed.Index != 1 || failed.Old == nil {
		t.Fatalf("Transact = %v", err)
	}
	absentNow(t, d, "b")
	err = d.Transact(t.Context(), "t2", []store.Write{
		{Op: store.Put, Item: row("b", nil)},
		{Op: store.Update, Key: key("a"), Update: "SET #v = :v", Names: map[string]string{"#v": "v"}, Values: store.Item{":v": n(2)}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if item, err := d.Get(t.Context(), key("b")); item == nil || err != nil {
		t.Errorf("b: %v, %v", item, err)
	}
}

func transactToken(t *testing.T, d store.Driver) {
	put(t, d, row("a", store.Item{"v": n(0)}))
	add := []store.Write{{Op: store.Update, Key: key("a"), Update: "SET #v = #v + :one", Names: map[string]string{"#v": "v"}, Values: store.Item{":one": n(1)}}}
	for range 3 {
		if err := d.Transact(t.Context(), "same", add); err != nil {
			t.Fatal(err)
		}
	}
	item, err := d.Get(t.Context(), key("a"))
	if err != nil {
		t.Fatal(err)
	}
	if v := item["v"].(*types.AttributeValueMemberN).Value; v != "1" {
		t.Errorf("v is %s after three calls with one token", v)
	}
}

func queryPages(t *testing.T, d store.Driver) {
	const rows = 30
	for i := range rows {
		put(t, d, row(fmt.Sprintf("r%02d", i), store.Item{store.DueSlot: s("slot"), store.DueAt: n(i / 3)}))
	}
	put(t, d, row("elsewhere", store.Item{store.DueSlot: s("other"), store.DueAt: n(0)}))
	put(t, d, row("sparse", nil))
	seen := map[string]bool{}
	q := store.Query{
		Index: store.DueIndex, Condition: "#s = :s AND #d <= :d", Limit: 7,
		Names:  map[string]string{"#s": store.DueSlot, "#d": store.DueAt},
		Values: store.Item{":s": s("slot"), ":d": n(8)},
	}
	for {
		page, err := d.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			name := item[store.PartitionKey].(*types.AttributeValueMemberS).Value
			if seen[name] {
				t.Errorf("%s twice", name)
			}
			seen[name] = true
		}
		if page.Next == nil {
			break
		}
		q.Start = page.Next
	}
	if len(seen) != 27 {
		t.Errorf("%d rows due, want 27", len(seen))
	}
}

// queryDescending: the highest range key comes first, on every page.
func queryDescending(t *testing.T, d store.Driver) {
	for i := range 9 {
		put(t, d, store.Item{store.PartitionKey: s("books"), store.SortKey: s(fmt.Sprint(i))})
	}
	put(t, d, store.Item{store.PartitionKey: s("cooks"), store.SortKey: s("9")})
	q := store.Query{
		Condition: "#p = :p AND #s < :s", Descending: true, Limit: 3,
		Names:  map[string]string{"#p": store.PartitionKey, "#s": store.SortKey},
		Values: store.Item{":p": s("books"), ":s": s("8")},
	}
	var got string
	for {
		page, err := d.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			got += item[store.SortKey].(*types.AttributeValueMemberS).Value
		}
		if page.Next == nil {
			break
		}
		q.Start = page.Next
	}
	if want := "76543210"; got != want {
		t.Errorf("the rows came as %s, want %s", got, want)
	}
}

func scanSegments(t *testing.T, d store.Driver) {
	const rows = 40
	for i := range rows {
		put(t, d, row(fmt.Sprintf("r%02d", i), nil))
	}
	seen := map[string]int{}
	for segment := range 3 {
		scan := store.Scan{Segment: segment, Segments: 3, Limit: 5}
		for {
			page, err := d.Scan(t.Context(), scan)
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				seen[item[store.PartitionKey].(*types.AttributeValueMemberS).Value]++
			}
			if page.Next == nil {
				break
			}
			scan.Start = page.Next
		}
	}
	for name, times := range seen {
		if times != 1 {
			t.Errorf("%s seen %d times", name, times)
		}
	}
	if len(seen) != rows {
		t.Errorf("%d rows seen, want %d", len(seen), rows)
	}
}

func endedContext(t *testing.T, d store.Driver) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Get(ctx, key("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("Get = %v", err)
	}
}

func loneCheck(t *testing.T, d store.Driver) {
	if _, err := d.Write(t.Context(), store.Write{Op: store.Check, Key: key("a"), Condition: "attribute_not_exists(pk)"}); err == nil {
		t.Error("Write accepted a lone condition check")
	}
}
