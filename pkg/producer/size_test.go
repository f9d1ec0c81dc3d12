package producer

import (
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/ddb/sdk"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// The size that a row will have is counted as DynamoDB counts it, attributes and
// their names included, after the SDK has replaced what is no UTF-8: never too
// little, and never much too much.
func FuzzRowBytes(f *testing.F) {
	const group = "group-7"
	f.Add(`{}`, "", "", "", "", "", int64(0), int64(0))
	f.Add(`{"text":"é\uffff"}`, "ann", "Root=1-6931a3d0", "fingerprint", "key", group, int64(time.Hour), int64(7))
	f.Add("\xff\xff\xff", "\xed\xa0\x80", "a\xc3", "\x00", "\xff", "~", int64(-1), int64(-9))
	f.Add(strings.Repeat("x", 9000), strings.Repeat("é", 900), "", "", "", "", int64(400*24*time.Hour), int64(1)<<62)
	f.Add(`{}`, strings.Repeat("\xff", 3000), strings.Repeat("\xed\xa0\x80", 1000), "", "", "", int64(0), int64(0))
	f.Add(strings.Repeat("\xff", 3000), "", "", "", strings.Repeat("\xff", 200), strings.Repeat("g", 128), int64(0), int64(0))
	f.Fuzz(func(t *testing.T, args, client, trace, fingerprint, key, group string, wait, max int64) {
		id := job.IDOf([16]byte{1})
		if group != "" {
			id = id.InGroup("a-queue-of-forty-letters-in-its-long-name", group)
		}
		n := store.NewJob{
			ID: id, Task: "note.write", Queue: "a-queue-of-forty-letters-in-its-long-name", FIFO: group != "",
			Args: []byte(args), Client: client, Trace: trace, Fingerprint: fingerprint, Version: int(max), MaxAttempts: int(max),
			NotBefore: time.Now().Add(time.Duration(wait)),
		}
		if key != "" {
			n.Unique = &store.Unique{Key: key}
		}
		counted := besideArgs(n) + textBytes(args)
		if size := rowSize(t, sent(n)); counted < size || counted > size+plainRow+len(id) {
			t.Errorf("counted %d bytes, the row has %d", counted, size)
		}
	})
}

// sent is a job as it arrives: each byte that is no UTF-8 has become U+FFFD.
func sent(n store.NewJob) store.NewJob {
	arrives := func(s string) string { return string([]rune(s)) }
	n.Args = []byte(arrives(string(n.Args)))
	n.Client, n.Trace, n.Fingerprint = arrives(n.Client), arrives(n.Trace), arrives(n.Fingerprint)
	if n.Unique != nil {
		n.Unique = &store.Unique{Key: arrives(n.Unique.Key)}
	}
	return n
}

// rowSize makes the job and gives the size of its row by DynamoDB's rules.
func rowSize(t *testing.T, n store.NewJob) int {
	t.Helper()
	memory := memstore.New(memstore.Config{})
	jobs, err := store.New(store.Config{Driver: memory})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := jobs.Create(t.Context(), n); err != nil {
		t.Skip(err) // such a row can't be
	}
	for _, row := range memory.Rows() {
		if id, ok := store.IDFrom(row); ok && id == n.ID {
			item, err := sdk.ItemFromSDK(row)
			if err != nil {
				t.Fatal(err)
			}
			return item.Size()
		}
	}
	t.Fatal("there is no row")
	return 0
}
