package store

import (
	"maps"
	"regexp"
	"testing"
)

var placeholder = regexp.MustCompile(`#([a-z_]*)`)

// Every name placeholder of an expression is given its attribute, and nothing
// else is: DynamoDB refuses an expression for a name too many or too few.
func FuzzNamesIn(f *testing.F) {
	f.Add("SET #state = :to, #n = #n + :one REMOVE #not_before_ms", "#publish.#n = :n")
	f.Add("##", "#")
	f.Add("#a#b#A", "#é#a9")
	f.Fuzz(func(t *testing.T, update, condition string) {
		want := map[string]string{}
		for _, e := range []string{update, condition} {
			for _, found := range placeholder.FindAllStringSubmatch(e, -1) {
				want[found[0]] = found[1]
			}
		}
		if got := namesIn(update, condition); !maps.Equal(got, want) {
			t.Errorf("namesIn(%q, %q) = %v, want %v", update, condition, got, want)
		}
	})
}
