package deadletter_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/queue"
)

func TestFilter(t *testing.T) {
	died := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l := deadletter.Letter{Job: "j", MessageID: "m", Letter: queue.Letter{Task: "photo.resize", Code: "not_an_image", Reason: "It is no Picture", Client: "ann", DiedAt: died}}
	for name, c := range map[string]struct {
		f    deadletter.Filter
		want bool
	}{
		"all":            {deadletter.Filter{}, true},
		"task":           {deadletter.Filter{Task: "photo.resize"}, true},
		"other task":     {deadletter.Filter{Task: "photo"}, false},
		"code":           {deadletter.Filter{Code: "not_an_image"}, true},
		"other code":     {deadletter.Filter{Code: "timeout"}, false},
		"client":         {deadletter.Filter{Client: "ann"}, true},
		"other client":   {deadletter.Filter{Client: "bob"}, false},
		"reason":         {deadletter.Filter{Reason: "no picture"}, true},
		"other reason":   {deadletter.Filter{Reason: "yes"}, false},
		"job":            {deadletter.Filter{IDs: []string{"x", "j"}}, true},
		"message":        {deadletter.Filter{IDs: []string{"m"}}, true},
		"other id":       {deadletter.Filter{IDs: []string{"x", ""}}, false},
		"since":          {deadletter.Filter{Since: died}, true},
		"since later":    {deadletter.Filter{Since: died.Add(1)}, false},
		"before":         {deadletter.Filter{Before: died.Add(1)}, true},
		"before earlier": {deadletter.Filter{Before: died}, false},
		"two of two":     {deadletter.Filter{Task: "photo.resize", Client: "ann"}, true},
		"one of two":     {deadletter.Filter{Task: "photo.resize", Client: "bob"}, false},
	} {
		if got := c.f.Matches(l); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		if c.f.IsZero() != (name == "all") {
			t.Errorf("%s: IsZero is %v", name, c.f.IsZero())
		}
	}
}

func TestRead(t *testing.T) {
	id := job.IDOf([16]byte{1})
	plain, err := queue.Message{ID: id, N: 3}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	sent := time.UnixMilli(5).UTC()
	for name, c := range map[string]struct {
		in   queue.Incoming
		code string
		why  string
	}{
		"a worker's note": {queue.Incoming{Body: "Hello?", Attributes: map[string]queue.Attribute{queue.ReasonAttribute: queue.String("so"), queue.CodeAttribute: queue.String("c")}}, "c", "so"},
		"no note":         {queue.Incoming{Body: "Hello?"}, queue.CodeUndecodable, "undecodable message"},
		"a job's message": {queue.Incoming{Body: plain}, "moved", "received too often"},
	} {
		c.in.ID, c.in.Sent, c.in.Trace = "m", sent, "Root=1"
		l := deadletter.Read(c.in)
		if !l.Unreadable || l.Body != c.in.Body || l.Code != c.code || !strings.Contains(l.Reason, c.why) || !l.DiedAt.Equal(sent) || l.Trace != "Root=1" || len(l.Attributes) != 0 {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("Hello?", "text")
	f.Add(`{"id":"04000000000000000000000000","n":1,"letter":{"task":"t","queue":"q","code":"c","reason":"r","attempts":1,"created_at":"2026-01-01T00:00:00Z","died_at":"2026-01-01T00:00:00Z"}}`, "")
	f.Add(`{"id":"04000000000000000000000000","n":1,"letter":null}`, "")
	f.Fuzz(func(t *testing.T, body, reason string) {
		in := queue.Incoming{ID: "m", Body: body, Attributes: map[string]queue.Attribute{queue.ReasonAttribute: queue.String(reason)}}
		l := deadletter.Read(in)
		if l.Unreadable == (l.Body != body) && body != "" {
			t.Errorf("%+v", l)
		}
		if !l.Unreadable {
			if _, err := job.ParseID(string(l.Job)); err != nil {
				t.Errorf("a letter without a job: %+v", l)
			}
		} else if l.Code == "" || l.Reason == "" {
			t.Errorf("a message of which nothing is said: %+v", l)
		}
		if _, err := json.Marshal(l); err != nil {
			t.Error(err)
		}
		deadletter.Filter{Reason: reason, Task: body}.Matches(l)
	})
}
