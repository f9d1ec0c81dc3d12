package deadletter_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

func TestWhatCanNotBeReadGoesBackAsItCame(t *testing.T) {
	attributes := map[string]queue.Attribute{
		"text": queue.String("a"), "number": {Type: "Number", Text: "7"}, "bytes": {Type: "Binary", Binary: []byte{0, 0xff}},
	}
	dead := queue.Undecodable(queue.Outgoing{Body: "Hello?", Attributes: attributes}, errors.New("not JSON"))
	in := queue.Incoming{Body: dead.Body, Attributes: dead.Attributes, Trace: "Root=7", Group: "g"}
	const arn = "arn:aws:sqs:eu-west-1:123456789012:"
	moved := func(from string) queue.Incoming { in := in; in.Source = arn + from; return in }
	for name, c := range map[string]struct {
		in  queue.Incoming
		url string // of the queue in the configuration
		to  string
		why error
	}{
		"sent by a worker":         {in: in, url: source, to: source},
		"moved by SQS":             {in: moved("other"), url: source, to: source[:len(source)-len("notes")] + "other"},
		"moved from a FIFO queue":  {in: moved("other.fifo"), to: source[:len(source)-len("notes")] + "other.fifo"},
		"nobody knows from where":  {in: in, why: deadletter.ErrNoSource},
		"nobody asked to, by flag": {in: in, url: source, why: deadletter.ErrUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, func(c2 *deadletter.Config) { c2.Address.URL = c.url })
				id := w.put(c.in)
				_, results := w.redrive(deadletter.Options{Unreadable: c.why != deadletter.ErrUnreadable})
				if c.why != nil {
					if words(results) != "refused" || !errors.Is(results[0].Err, c.why) || w.left() != 1 {
						t.Errorf("%+v", results)
					}
					return
				}
				want := queue.Outgoing{Body: "Hello?", Attributes: attributes, Trace: "Root=7", Group: "g"}
				if strings.HasSuffix(c.to, ".fifo") {
					want.Dedup = "redrive:" + id
				}
				if got := w.sqs.sent[c.to]; words(results) != "returned" || w.left() != 0 || len(got) != 1 || !reflect.DeepEqual(got[0], want) {
					t.Errorf("%+v: sent %+v, want %+v", results, w.sqs.sent, want)
				}
			})
		})
	}
}

func TestWhatTheQueueRefusesStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, nil)
		w.put(queue.Incoming{Body: "Hello?"})
		w.sqs.fail = func(call string) error {
			if call == "send" {
				return &queue.SendError{Code: "InvalidMessageContents", Fault: true}
			}
			return nil
		}
		if _, results := w.redrive(deadletter.Options{Unreadable: true}); words(results) != "refused" || w.left() != 1 {
			t.Errorf("%+v", results)
		}
	})
}
