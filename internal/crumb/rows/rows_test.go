package rows_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
)

type pot struct {
	Name  string `dynamodbav:"name"`
	Stars int    `dynamodbav:"stars"`
}

func key(name string) rows.Key { return rows.Key{Partition: "pots", Sort: name} }

func TestPutGetOld(t *testing.T) {
	table := rowstest.New(t)
	if _, ok, err := rows.Get[pot](t.Context(), table, key("red")); ok || err != nil {
		t.Fatalf("a row that is not there: %v, %v", ok, err)
	}
	put := func(stars int) error {
		return table.Change().Put(key("red"), pot{Name: "red", Stars: stars}, rows.Absent, nil).Apply(t.Context())
	}
	if err := put(3); err != nil {
		t.Fatal(err)
	}
	err := put(4)
	if old, ok := rows.Old[pot](err); !errors.Is(err, rows.ErrCondition) || !ok || old.Stars != 3 {
		t.Errorf("the second put: %v, with %v", err, old)
	}
	got, ok, err := rows.Get[pot](t.Context(), table, key("red"))
	if want := (pot{Name: "red", Stars: 3}); got != want || !ok || err != nil {
		t.Errorf("got %v, %v, %v, want %v", got, ok, err, want)
	}
}

func TestUpdateNamesItsAttributes(t *testing.T) {
	table := rowstest.New(t)
	add := func(n int) error {
		return table.Change().
			Update(key("red"), "SET #name = :name ADD #stars :n", "attribute_not_exists(#stars) OR #stars < :most", rows.Values{":name": "red", ":n": n, ":most": 5}).
			Apply(t.Context())
	}
	if err := add(5); err != nil {
		t.Fatal(err)
	}
	if got, _, err := rows.Get[pot](t.Context(), table, key("red")); err != nil || got.Stars != 5 {
		t.Fatalf("%v, %v", got, err)
	}
	if err := add(1); !errors.Is(err, rows.ErrCondition) {
		t.Errorf("an update whose condition does not hold: %v", err)
	}
}

func TestChangesAreAllOrNothing(t *testing.T) {
	table := rowstest.New(t)
	both := func() error {
		return table.Change().
			Put(key("red"), pot{Name: "red"}, "", nil).
			Put(key("blue"), pot{Name: "blue"}, rows.Absent, nil).
			Apply(t.Context())
	}
	if err := both(); err != nil {
		t.Fatal(err)
	}
	if err := table.Change().Delete(key("red"), rows.Present, nil).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := both(); !errors.Is(err, rows.ErrCondition) {
		t.Errorf("the second time: %v", err)
	}
	if _, ok, err := rows.Get[pot](t.Context(), table, key("red")); ok || err != nil {
		t.Errorf("half of it was written: %v, %v", ok, err)
	}
	if err := table.Change().Check(key("blue"), rows.Present, nil).Apply(t.Context()); err != nil {
		t.Errorf("a lone check: %v", err)
	}
}

// A transaction tells each condition that did not hold.
func TestWhichConditionFailed(t *testing.T) {
	table := rowstest.New(t)
	if err := table.Change().Put(key("red"), pot{Name: "red", Stars: 3}, "", nil).Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	err := table.Change().
		Check(key("green"), rows.Present, nil).
		Put(key("blue"), pot{}, rows.Absent, nil).
		Put(key("red"), pot{}, rows.Absent, nil).
		Apply(t.Context())
	if !rows.Failed(err, 0) || rows.Failed(err, 1) || !rows.Failed(err, 2) {
		t.Errorf("%v", err)
	}
	if old, ok := rows.Old[pot](err); !ok || old.Stars != 3 {
		t.Errorf("the old row is %v, %v", old, ok)
	}
	if rows.Failed(errors.New("other"), 0) || rows.Failed(nil, 0) {
		t.Error("another error passed for a failed condition")
	}
}

func TestAllReadsToTheEnd(t *testing.T) {
	table := rowstest.New(t)
	for i := range 5 {
		name := fmt.Sprint("red", i)
		if err := table.Change().Put(key(name), pot{Name: name}, "", nil).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	read := func(ctx context.Context, most int) (names []string, err error) {
		for p, err := range rows.All[pot](ctx, table, rows.Range{Partition: "pots", Limit: 2}) {
			if err != nil || len(names) == most {
				return names, err
			}
			names = append(names, p.Name)
		}
		return names, nil
	}
	for most, want := range map[int]string{9: "[red0 red1 red2 red3 red4]", 3: "[red0 red1 red2]"} {
		if names, err := read(t.Context(), most); err != nil || fmt.Sprint(names) != want {
			t.Errorf("%d at most: %v, %v, want %s", most, names, err, want)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if names, err := read(ended, 9); !errors.Is(err, context.Canceled) || len(names) > 0 {
		t.Errorf("an ended context: %v, %v", names, err)
	}
}

func TestPlacesAreInTheOrderOfTheirTimes(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, later := range []time.Time{noon.Add(time.Millisecond), noon.Add(time.Hour).In(time.FixedZone("west", -8*3600))} {
		if rows.Place(noon) >= rows.Place(later) {
			t.Errorf("%s does not come before %s", rows.Place(noon), rows.Place(later))
		}
	}
	if got, want := rows.Place(noon), "2026-03-01T12:00:00.000Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestListPages(t *testing.T) {
	table := rowstest.New(t)
	for i := range 5 {
		for _, colour := range []string{"blue", "red"} {
			name := fmt.Sprintf("%s%d", colour, i)
			if err := table.Change().Put(key(name), pot{Name: name}, "", nil).Apply(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	var got []string
	r := rows.Range{Partition: "pots", Prefix: "red", Descending: true, Limit: 2}
	for {
		page, err := rows.List[pot](t.Context(), table, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range page.Rows {
			got = append(got, p.Name)
		}
		if page.Next == "" {
			break
		}
		r.After = page.Next
	}
	if want := "[red4 red3 red2 red1 red0]"; fmt.Sprint(got) != want {
		t.Errorf("listed %v, want %v", got, want)
	}
}

func TestForeignCursors(t *testing.T) {
	table := rowstest.New(t)
	encode := func(place string) string { return base64.RawURLEncoding.EncodeToString([]byte(place)) }
	for _, cursor := range []string{"!", "%%", "a b", encode("blue1"), encode("red\xff"), encode("red" + strings.Repeat("1", 1022))} {
		if _, err := rows.List[pot](t.Context(), table, rows.Range{Partition: "pots", Prefix: "red", After: cursor}); !errors.Is(err, rows.ErrCursor) {
			t.Errorf("the cursor %q: %v", cursor, err)
		}
	}
}

var errUnwritable = errors.New("it can't be encoded")

type unwritable struct{}

func (unwritable) MarshalDynamoDBAttributeValue() (types.AttributeValue, error) {
	return nil, errUnwritable
}

func TestWhatCannotBeWritten(t *testing.T) {
	table := rowstest.New(t)
	for name, c := range map[string]*rows.Changes{
		"row":   table.Change().Put(key("red"), unwritable{}, "", nil),
		"value": table.Change().Update(key("red"), "SET #name = :name", "", rows.Values{":name": unwritable{}}),
	} {
		if err := c.Apply(t.Context()); !errors.Is(err, errUnwritable) {
			t.Errorf("a %s that can't be encoded: %v", name, err)
		}
	}
	if err := table.Change().Apply(t.Context()); err != nil {
		t.Errorf("no changes: %v", err)
	}
}
