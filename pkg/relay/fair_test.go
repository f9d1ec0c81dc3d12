package relay_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// In a fair queue a job's message is its client's; in any other it is nobody's.
func TestMessagesOfAFairQueueAreTheirClients(t *testing.T) {
	long := strings.Repeat("x", 200)
	for name, c := range map[string]struct{ queue, client, want string }{
		"a client":         {"videos", "ann", "ann"},
		"nobody":           {"videos", "", ""},
		"a long name":      {"videos", long, queue.Fitting(long)},
		"letters of words": {"videos", "zoë & co", queue.Fitting("zoë & co")},
		"an unfair queue":  {"photos", "ann", ""},
	} {
		w := newWorld(t)
		id := w.enqueue(c.queue, "", func(n *store.NewJob) { n.Client = c.client })
		w.handle(w.batch())
		sent := w.sqs.sent[c.queue]
		if len(sent) != 1 || sent[0].Group != c.want || sent[0].Dedup != "" || len(sent[0].Group) > 128 {
			t.Errorf("%s: %+v", name, sent)
		}
		w.die(id)
		w.handle(w.batch())
		if letters := w.sqs.sent[c.queue+" letters"]; len(letters) != 1 || letters[0].Group != "" {
			t.Errorf("%s: the letter %+v", name, letters)
		}
	}
}

// A FIFO queue's groups are for order, whoever the client is.
func TestAClientIsNoGroupOfAFIFOQueue(t *testing.T) {
	w := newWorld(t)
	w.enqueue("ledger", "account-7", func(n *store.NewJob) { n.Client = "ann" })
	w.handle(w.batch())
	if sent := w.sqs.sent["ledger.fifo"]; len(sent) != 1 || sent[0].Group != "account-7" {
		t.Errorf("%+v", sent)
	}
}
