package relay_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

// A group stops at its first failed entry; other groups go on.
func TestAGroupStopsAtItsFirstFailure(t *testing.T) {
	w := newWorld(t)
	a1, b1 := w.enqueue("ledger", "a", nil), w.enqueue("ledger", "b", nil)
	a2, b2 := w.enqueue("ledger", "a", nil), w.enqueue("ledger", "b", nil)
	w.sqs.refuse = func(_ string, m queue.Outgoing) error {
		if decode(t, m).ID == a1 {
			return errors.New("throttled")
		}
		return nil
	}
	event := w.batch()
	if failed := w.handle(event); !slices.Equal(failed, []string{"1"}) {
		t.Errorf("failed %v, want the first record", failed)
	}
	var got []job.ID
	for _, m := range w.sqs.sent["ledger.fifo"] {
		got = append(got, decode(t, m).ID)
		if m.Delay != 0 || m.Group == "" || m.Dedup == "" {
			t.Errorf("%+v", m)
		}
	}
	if !slices.Equal(got, []job.ID{b1, b2}) {
		t.Errorf("sent %v, want %v", got, []job.ID{b1, b2})
	}
	w.sqs.refuse = nil
	w.sqs.sent = map[string][]queue.Outgoing{}
	if failed := w.handle(event); len(failed) != 0 {
		t.Errorf("failed %v", failed)
	}
	var a []job.ID
	for _, m := range w.sqs.sent["ledger.fifo"] {
		if m.Group == "a" {
			a = append(a, decode(t, m).ID)
		}
	}
	if !slices.Equal(a, []job.ID{a1, a2}) {
		t.Errorf("group a came as %v, want %v", a, []job.ID{a1, a2})
	}
}

// SQS takes 128 characters of letters, digits and punctuation.
func TestGroupsAndDedupIDsThatSQSTakes(t *testing.T) {
	for _, group := range []string{"plain", "mit Leerzeichen", strings.Repeat("x", 200), "ä"} {
		w := newWorld(t)
		w.enqueue("ledger", group, nil)
		w.handle(w.batch())
		m := w.sqs.sent["ledger.fifo"][0]
		for what, text := range map[string]string{"group": m.Group, "dedup": m.Dedup} {
			if bad := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }); text == "" || len(text) > 128 || bad >= 0 {
				t.Errorf("group %q: %s %q", group, what, text)
			}
		}
		if group == "plain" && m.Group != "plain" {
			t.Errorf("%q became %q", group, m.Group)
		}
	}
}
