package job_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/job"
)

type uploaded struct {
	Key string `json:"key"`
}

func TestEventsReportEveryMistake(t *testing.T) {
	plain := job.Topic{Name: "photos"}
	for name, c := range map[string]struct {
		event interface{ Definition() job.EventDefinition }
		want  []string
	}{
		"good":               {job.DefineEvent[uploaded]("photo.uploaded", plain), nil},
		"longest topic":      {job.DefineEvent[uploaded]("photo.uploaded", job.Topic{Name: "a" + strings.Repeat("b", 39)}), nil},
		"topic too long":     {job.DefineEvent[uploaded]("photo.uploaded", job.Topic{Name: "a" + strings.Repeat("b", 40)}), []string{"1 to 40 lower case"}},
		"no topic":           {job.DefineEvent[uploaded]("photo.uploaded", job.Topic{}), []string{`topic ""`}},
		"topic's suffix":     {job.DefineEvent[uploaded]("photo.uploaded", job.Topic{Name: "photos.fifo", FIFO: true}), []string{`topic "photos.fifo"`}},
		"name in capitals":   {job.DefineEvent[uploaded]("Photo", plain), []string{"the name must be"}},
		"no name":            {job.DefineEvent[uploaded]("", plain), []string{"the name must be"}},
		"version 0":          {job.DefineEvent[uploaded]("photo.uploaded", plain).Versioned(0), []string{"count from 1"}},
		"no struct":          {job.DefineEvent[string]("photo.uploaded", plain), []string{"use a struct"}},
		"any":                {job.DefineEvent[any]("photo.uploaded", plain), []string{"use a struct"}},
		"everything at once": {job.DefineEvent[[]int]("", job.Topic{}).Versioned(-1), []string{`topic ""`, "the name must be", "count from 1", "use a struct"}},
	} {
		err := c.event.Definition().Validate()
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

func TestSubscriptionsReportEveryMistake(t *testing.T) {
	plain, ordered := job.Topic{Name: "photos"}, job.Topic{Name: "changes", FIFO: true}
	queue := photos()
	fifo := photos()
	fifo.Name, fifo.FIFO = "in-turn", true
	event := func(topic job.Topic) job.Event[uploaded] { return job.DefineEvent[uploaded]("photo.uploaded", topic) }
	task := func(q job.Queue, version int) job.Task[uploaded] {
		return job.Define[uploaded]("photo.index", job.Policy{Queue: q, Version: version})
	}
	for name, c := range map[string]struct {
		subscription job.Subscriber
		want         []string
	}{
		"good":                        {job.On(event(plain), task(queue, 0)), nil},
		"in order":                    {job.On(event(ordered), task(fifo, 0)), nil},
		"in no order, of an ordered":  {job.On(event(ordered), task(queue, 0)), nil},
		"in order, of a plain one":    {job.On(event(plain), task(fifo, 0)), []string{"is not FIFO"}},
		"a newer event":               {job.On(event(plain).Versioned(2), task(queue, 0)), []string{"has version 2 of its data"}},
		"a newer task":                {job.On(event(plain), task(queue, 3)), []string{"takes version 3"}},
		"a bad event and a bad queue": {job.On(event(job.Topic{}), task(job.Queue{}, 0)), []string{`topic ""`, `queue ""`}},
	} {
		err := job.ValidateSubscriber(c.subscription)
		if (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
}

func TestOccurrences(t *testing.T) {
	e := job.DefineEvent[uploaded]("photo.uploaded", job.Topic{Name: "photos"})
	first := e.With("photo/1", uploaded{Key: "a.jpg"})
	traced := first.Traced("Root=1")
	if first.Trace != "" || traced.Trace != "Root=1" || traced.Key != "photo/1" || traced.Data != (uploaded{Key: "a.jpg"}) || traced.Definition.Name != "photo.uploaded" {
		t.Errorf("%+v, %+v", first, traced)
	}
	if e.Versioned(2); e.Definition().Version != 1 {
		t.Error("Versioned changed the event that it was called on")
	}
}

// An event is declared once, beside its data; each subscriber is a task.
func ExampleOn() {
	event := job.DefineEvent[uploaded]("photo.uploaded", job.Topic{Name: "photos"})
	index := job.On(event, job.Define[uploaded]("photo.index", job.Policy{Queue: photos()}))
	happened, task := index.Subscribed()
	fmt.Println(task.Name, "on", happened.Name, "of", happened.Topic.Name, job.ValidateSubscriber(index))
	// Output: photo.index on photo.uploaded of photos <nil>
}
