package queue_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/queue"
)

// An event passes SQS and comes back as it was, but for bytes that are no UTF-8 and
// the white space of its data.
func FuzzEventRoundTrip(f *testing.F) {
	for _, text := range []string{"recipe/1", "a\x00b\x1f", "\uffff\ufffe", "\xed\xa0\x80 \xff", "😀 \u2028 </script>", `"\`, ""} {
		f.Add("e1", "recipe.published", text, text, 1, int64(1_700_000_000_123), text)
	}
	f.Fuzz(func(t *testing.T, id, name, key, trace string, version int, ms int64, text string) {
		data, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		at := time.UnixMilli(ms % (1 << 47)).UTC()
		sent := queue.Message{Trace: trace, Event: &queue.Event{ID: id, Name: name, Key: key, Version: version, At: at, Data: data}}
		body, err := sent.Encode()
		if err != nil && at.Year() >= 0 && at.Year() <= 9999 {
			t.Fatal(err)
		}
		if err != nil {
			return // JSON has no such year
		}
		if !passes(body) || !json.Valid([]byte(body)) {
			t.Fatalf("SQS refuses %q", body)
		}
		got, err := queue.DecodeMessage(body)
		if id == "" || name == "" || version < 1 {
			if !errors.Is(err, queue.ErrUndecodable) {
				t.Errorf("%q: %v", body, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q does not come back: %v", body, err)
		}
		var before, after map[string]string
		if err := errors.Join(json.Unmarshal(data, &before), json.Unmarshal(got.Event.Data, &after)); err != nil || !reflect.DeepEqual(before, after) {
			t.Errorf("the data %s came back as %s: %v", data, got.Event.Data, err)
		}
		want := queue.Event{ID: legible(id), Name: legible(name), Key: legible(key), Version: version, At: at, Data: got.Event.Data}
		if !reflect.DeepEqual(*got.Event, want) || got.Trace != legible(trace) || got.ID != "" || got.N != 0 {
			t.Errorf("%+v came back as %+v", sent.Event, got.Event)
		}
		if first, again := sent.Event.Job("a"), sent.Event.Job("a"); first != again || first == sent.Event.Job("b") {
			t.Errorf("the jobs of two tasks are %s and %s, that of one %s", first, sent.Event.Job("b"), again)
		}
	})
}

func TestEventsThatAreNone(t *testing.T) {
	const good = `"id":"e1","name":"n","v":1,"at":"2026-01-01T00:00:00Z","data":{}`
	if m, err := queue.DecodeMessage(`{"event":{` + good + `}}`); err != nil || m.Event == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	for name, body := range map[string]string{
		"a job's as well":    `{"id":"01hz7vq3k8m5n9p2r4s6t8w0xy","n":1,"event":{` + good + `}}`,
		"a letter as well":   `{"letter":{"task":"t"},"event":{` + good + `}}`,
		"without an id":      `{"event":{"name":"n","v":1,"data":{}}}`,
		"without a name":     `{"event":{"id":"e1","v":1,"data":{}}}`,
		"without a version":  `{"event":{"id":"e1","name":"n","data":{}}}`,
		"without data":       `{"event":{"id":"e1","name":"n","v":1}}`,
		"nothing":            `{"event":{}}`,
		"null":               `{"event":null}`,
		"of SNS's envelope":  `{"Type":"Notification","MessageId":"1","Message":"{}"}`,
		"with unknown parts": `{"event":{` + good + `,"more":1}}`,
	} {
		if m, err := queue.DecodeMessage(body); !errors.Is(err, queue.ErrUndecodable) {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
