package s3

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

// An event has the members that S3's own has, down to the last.
func TestEventsHaveTheShapeOfTheFixture(t *testing.T) {
	fixture, err := os.ReadFile("../../../events/objects.json")
	if err != nil {
		t.Fatal(err)
	}
	s, l := openTelling(t)
	if err := s.notify(toFunction(nil, "s3:ObjectCreated:*")); err != nil {
		t.Fatal(err)
	}
	s.mustPut("a", "1")
	_, told, _ := strings.Cut(<-l.told, " ")
	if got, want := membersOf(t, []byte(told)), membersOf(t, fixture); !slices.Equal(got, want) {
		t.Errorf("members\n%v, want\n%v", got, want)
	}
}

// membersOf gives the paths of all members of a document.
func membersOf(t *testing.T, document []byte) (paths []string) {
	t.Helper()
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for name, member := range v {
				walk(path+"."+name, member)
			}
		case []any:
			for _, member := range v {
				walk(path+"[]", member)
			}
		default:
			paths = append(paths, fmt.Sprintf("%s %T", path, value))
		}
	}
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		t.Fatal(err)
	}
	walk("", value)
	slices.Sort(paths)
	return paths
}

func FuzzEventKey(f *testing.F) {
	for _, key := range []string{"a/b c", "ä+%2F", "\x00", "*~'()"} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		record, err := json.Marshal(map[string]string{"key": eventKey(key)})
		if err != nil {
			t.Fatal(err)
		}
		var o events.S3Object
		if err := json.Unmarshal(record, &o); err != nil || o.URLDecodedKey != key {
			t.Errorf("%q became %q: %v", key, o.URLDecodedKey, err)
		}
	})
}
