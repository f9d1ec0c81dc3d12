package job_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// An id is one text: what it names, named again, is the same id. Two texts of one
// job would be two messages with one row, or two deduplication ids.
func FuzzIDRoundTrip(f *testing.F) {
	const plain = "0123456789abcdefghjkmnpqrs"
	for _, text := range []string{plain, "orders.Zm9v." + plain, "orders.." + plain, "orders.Zm\n9v." + plain, "orders.Zm9v\r." + plain, "orders.Zm9." + plain, "orders.Zh." + plain} {
		f.Add(text, "a group/é\x00", []byte(text))
	}
	f.Fuzz(func(t *testing.T, text, group string, bits []byte) {
		if id, err := job.ParseID(text); err == nil {
			if queue, name, ok := id.Group(); ok {
				if again := job.ID(text[len(text)-26:]).InGroup(queue, name); again != id {
					t.Errorf("%q is the same as %q", id, again)
				}
			}
		}
		var sixteen [16]byte
		copy(sixteen[:], bits)
		made := job.IDOf(sixteen)
		if got, err := job.ParseID(string(made)); err != nil || got != made {
			t.Errorf("%q does not parse: %q, %v", made, got, err)
		}
		if _, _, ok := made.Group(); ok {
			t.Errorf("%q is in a group", made)
		}
		grouped := made.InGroup("orders", group)
		if queue, name, ok := grouped.Group(); queue != "orders" || name != group || !ok {
			t.Errorf("%q is of %q, %q, %v; want %q", grouped, queue, name, ok, group)
		}
		if _, err := job.ParseID(string(grouped)); (err == nil) != (len(grouped) <= 1000) {
			t.Errorf("an id of %d characters: %v", len(grouped), err)
		}
	})
}
