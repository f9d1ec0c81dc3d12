package worker_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// The arguments as they were, by version.
type (
	first  struct{ Name string }
	second struct{ Given, Family string }
	third  struct {
		Given, Family string
		Born          int
	}
)

func split(old first) (second, error) {
	given, family, ok := strings.Cut(old.Name, " ")
	if !ok {
		return second{}, errors.New("no family name")
	}
	return second{given, family}, nil
}

func age(old second) (third, error) { return third{old.Given, old.Family, 1900}, nil }

func versioned(q job.Queue, version int) job.Task[third] {
	return job.Define[third]("note.write", job.Policy{Queue: q, Version: version})
}

func TestEarlierArgumentsAreUpgraded(t *testing.T) {
	tests := []struct {
		name    string
		version int
		args    string
		want    third
		state   lifecycle.State
		reason  string
	}{
		{"the first", 1, `{"Name":"Ada Lovelace"}`, third{"Ada", "Lovelace", 1900}, lifecycle.Done, ""},
		{"from before there were versions", 0, `{"Name":"Ada Lovelace"}`, third{"Ada", "Lovelace", 1900}, lifecycle.Done, ""},
		{"the second", 2, `{"Given":"Ada","Family":"King"}`, third{"Ada", "King", 1900}, lifecycle.Done, ""},
		{"the current", 3, `{"Given":"Ada","Family":"King","Born":1815}`, third{"Ada", "King", 1815}, lifecycle.Done, ""},
		{"of the wrong version", 1, `{"Given":"Ada","Family":"King"}`, third{}, lifecycle.Dead, "/Given"},
		{"not to be upgraded", 1, `{"Name":"Ada"}`, third{}, lifecycle.Dead, "no family name"},
		{"a newer one", 4, `{"Whole":"else"}`, third{}, lifecycle.Queued, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got third
			q := notes(nil)
			w := newWorld(t, q, worker.Handle(versioned(q, 3), func(_ context.Context, j *job.Job[third]) error {
				got = j.Args
				return nil
			}, worker.Upgrade(2, age), worker.Upgrade(1, split)))
			id := w.enqueue("x", func(n *store.NewJob) { n.Version, n.Args = tt.version, []byte(tt.args) })
			w.deliver(message(id))
			rec := w.get(id)
			if rec.State != tt.state || got != tt.want {
				t.Errorf("the row is %s (%+v), the arguments %+v", rec.State, rec.Error, got)
			}
			if tt.state == lifecycle.Dead && (rec.Error.Code != "bad_arguments" || !strings.Contains(rec.Error.Message, tt.reason)) {
				t.Errorf("the error is %+v, want %q", rec.Error, tt.reason)
			}
			if tt.state == lifecycle.Queued && (rec.Attempt != 0 || w.hiddenFor(message(id)).Round(time.Second) != time.Minute) {
				t.Errorf("attempt %d, hidden for %v", rec.Attempt, w.hiddenFor(message(id)))
			}
		})
	}
}

func TestLaddersWithoutARung(t *testing.T) {
	toThird := func(first) (third, error) { return third{}, nil }
	tests := []struct {
		name    string
		version int
		steps   []worker.Step
		want    []string // of the error; nil: there is none
	}{
		{"one version", 1, nil, nil},
		{"no version", 0, nil, nil},
		{"whole", 3, []worker.Step{worker.Upgrade(1, split), worker.Upgrade(2, age)}, nil},
		{"the oldest versions are gone for good", 3, []worker.Step{worker.Upgrade(2, age)}, nil},
		{"none", 2, nil, []string{"no upgrade from version 1"}},
		{"a gap below", 3, []worker.Step{worker.Upgrade(1, split)}, []string{"no upgrade from version 2"}},
		{"a gap between", 4, []worker.Step{worker.Upgrade(1, split), worker.Upgrade(3, age)}, []string{"no upgrade from version 2"}},
		{"a wrong type at the end", 3, []worker.Step{worker.Upgrade(1, split), worker.Upgrade(2, split)}, []string{"from version 2 gives worker_test.second, and version 3 is worker_test.third", "from version 1 gives worker_test.second, and version 2 is worker_test.first"}},
		{"a wrong type between", 3, []worker.Step{worker.Upgrade(1, toThird), worker.Upgrade(2, age)}, []string{"from version 1 gives worker_test.third, and version 2 is worker_test.second"}},
		{"from the current version", 2, []worker.Step{worker.Upgrade(1, toThird), worker.Upgrade(2, age)}, []string{"from version 2 of the arguments, and the current one is 2"}},
		{"from version zero", 1, []worker.Step{worker.Upgrade(0, toThird)}, []string{"from version 0"}},
		{"two for one version", 2, []worker.Step{worker.Upgrade(1, toThird), worker.Upgrade(1, toThird)}, []string{"two upgrades from version 1"}},
		{"no function", 2, []worker.Step{worker.Upgrade[first, third](1, nil)}, []string{"from version 1 is nil"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			jobs, err := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
			if err != nil {
				t.Fatal(err)
			}
			q := notes(nil)
			_, err = worker.New(worker.Config{
				Jobs: jobs, Queue: &sqsFake{}, Addresses: map[string]queue.Address{"notes": {URL: "https://sqs/notes", Letters: "x"}},
			}, worker.Handle(versioned(q, tt.version), func(context.Context, *job.Job[third]) error { return nil }, tt.steps...))
			if (err == nil) != (tt.want == nil) {
				t.Fatalf("New: %v, want %q", err, tt.want)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("New: %v, want %q", err, want)
				}
			}
		})
	}
}
