package periodic_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type issue struct {
	Monday time.Time `json:"monday"`
}

var (
	mail  = job.Queue{Name: "mail", PeakArrivals: 10, ServiceTime: time.Second, LongestWait: time.Minute}
	send  = job.Define[issue]("newsletter.send", job.Policy{Queue: mail})
	other = job.Define[issue]("newsletter.other", job.Policy{Queue: mail})
)

func newsletter() periodic.Job {
	return periodic.Job{Name: "newsletter", Expression: "cron(0 9 ? * MON *)", Zone: "Europe/Berlin",
		Request: func(at time.Time) job.Request { return send.With(issue{Monday: at}) }}
}

var errTable = errors.New("the table is away")

// A world is a table that can fail, and its clock.
type world struct {
	store.Driver
	t    *testing.T
	memo *memstore.Driver
	now  time.Time
	log  lines

	mu        sync.Mutex
	failMarks int // of the next writes of marks, how many fail
	failJobs  int
}

// lines is a log that several schedulers write.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T, now string) *world {
	memo := memstore.New(memstore.Config{})
	return &world{Driver: memo, memo: memo, t: t, now: at(t, now)}
}

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func isMark(item store.Item) bool {
	pk, ok := item[store.PartitionKey].(*types.AttributeValueMemberS)
	return ok && pk.Value == "sweep"
}

func (w *world) Write(ctx context.Context, write store.Write) (store.Item, error) {
	w.mu.Lock()
	counter := &w.failJobs
	if isMark(write.Item) {
		counter = &w.failMarks
	}
	fails := *counter > 0
	if fails {
		*counter--
	}
	w.mu.Unlock()
	if fails {
		return nil, errTable
	}
	return w.Driver.Write(ctx, write)
}

func (w *world) jobs() *store.Jobs {
	jobs, err := store.New(store.Config{Driver: w, Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	return jobs
}

// scheduler makes what another process would have: everything but the table.
func (w *world) scheduler(all ...periodic.Job) *periodic.Periodic {
	w.t.Helper()
	clock := func() time.Time { return w.now }
	jobs := w.jobs()
	made, err := producer.New(producer.Config{Jobs: jobs, Now: clock}, send, other)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := periodic.New(periodic.Config{Jobs: jobs, Producer: made, Now: clock, Logger: slog.New(slog.NewTextHandler(&w.log, nil))}, all...)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// fire hands a schedule's event over, at its time and a little later.
func (w *world) fire(p *periodic.Periodic, j periodic.Job, when string) error {
	w.t.Helper()
	scheduled := at(w.t, when)
	if w.now.Before(scheduled) {
		w.now = scheduled.Add(3 * time.Second)
	}
	return p.Handle(w.t.Context(), json.RawMessage(strings.ReplaceAll(j.Input(), "<aws.scheduler.scheduled-time>", scheduled.UTC().Format(time.RFC3339))))
}

func (w *world) mustFire(p *periodic.Periodic, j periodic.Job, when string) {
	w.t.Helper()
	if err := w.fire(p, j, when); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) check(p *periodic.Periodic) {
	w.t.Helper()
	if err := p.Handle(w.t.Context(), json.RawMessage(periodic.CheckInput)); err != nil {
		w.t.Fatal(err)
	}
}

// enqueued gives the occurrences that have jobs, in UTC, as their arguments have
// them; an occurrence with two jobs comes twice.
func (w *world) enqueued() []string {
	w.t.Helper()
	var all []string
	for start := store.Item(nil); ; {
		page, err := w.memo.Scan(w.t.Context(), store.Scan{Start: start})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, item := range page.Items {
			if id, ok := store.IDFrom(item); ok {
				all = append(all, w.occurrenceOf(id))
			}
		}
		if start = page.Next; start == nil {
			break
		}
	}
	slices.Sort(all)
	return all
}

func (w *world) occurrenceOf(id job.ID) string {
	w.t.Helper()
	rec, err := w.jobs().Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	var args issue
	if err := json.Unmarshal(rec.Args, &args); err != nil {
		w.t.Fatal(err)
	}
	return args.Monday.UTC().Format("2006-01-02T15:04")
}

func (w *world) want(occurrences ...string) {
	w.t.Helper()
	if got := w.enqueued(); !slices.Equal(got, occurrences) {
		w.t.Fatalf("enqueued are %s, want %s\n%s", fmt.Sprint(got), fmt.Sprint(occurrences), w.log.String())
	}
}

func tryNew(w *world, j periodic.Job) error {
	made, err := producer.New(producer.Config{Jobs: w.jobs()}, send)
	if err != nil {
		w.t.Fatal(err)
	}
	_, err = periodic.New(periodic.Config{Jobs: w.jobs(), Producer: made}, j)
	return err
}
