package producer_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

var now = time.Date(2026, 11, 29, 16, 0, 0, 0, time.UTC)

type note struct {
	Text string `json:"text"`
	N    int64  `json:"n,omitzero"`
}

// Validate refuses notes that say nothing.
func (n *note) Validate() error {
	if n.Text == "" {
		return errors.New("text is empty")
	}
	return nil
}

func load(name string) job.Queue {
	return job.Queue{Name: name, PeakArrivals: 10, ServiceTime: time.Second, LongestWait: time.Minute}
}

func fifo() job.Queue {
	q := load("ledger")
	q.FIFO = true
	return q
}

var (
	write = job.Define[note]("note.write", job.Policy{Queue: load("notes"), MaxArguments: 64, MaxAttempts: 7})
	post  = job.Define[note]("ledger.post", job.Policy{Queue: fifo()})
)

// driver counts writes.
type driver struct {
	store.Driver
	writes int
	fail   error
	// transacted is called before each transaction, unless it is nil.
	transacted func()
}

func (d *driver) Transact(ctx context.Context, token string, writes []store.Write) error {
	if d.transacted != nil {
		d.transacted()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Driver.Transact(ctx, token, writes)
}

func (d *driver) Write(ctx context.Context, w store.Write) (store.Item, error) {
	d.writes++
	if d.fail != nil {
		return nil, d.fail
	}
	return d.Driver.Write(ctx, w)
}

func newProducer(t *testing.T) (*producer.Producer, *store.Jobs, *driver) {
	t.Helper()
	d := &driver{Driver: memstore.New(memstore.Config{})}
	clock := func() time.Time { return now }
	jobs, err := store.New(store.Config{Driver: d, Now: clock})
	if err != nil {
		t.Fatal(err)
	}
	p, err := producer.New(producer.Config{Jobs: jobs, Now: clock}, write, post)
	if err != nil {
		t.Fatal(err)
	}
	return p, jobs, d
}

func TestAJobIsOneWrite(t *testing.T) {
	p, jobs, d := newProducer(t)
	id, err := p.Enqueue(t.Context(), write.With(note{Text: "milk"}), job.ByClient("ann"), job.WithTrace("Root=1-5759e988-bd862e3fe1be46a994272793"))
	if err != nil {
		t.Fatal(err)
	}
	if d.writes != 1 {
		t.Errorf("%d writes", d.writes)
	}
	rec, err := jobs.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if rec.State != lifecycle.Queued || rec.Task != "note.write" || rec.Queue != "notes" || rec.MaxAttempts != 7 ||
		string(rec.Args) != `{"text":"milk"}` || rec.Client != "ann" || rec.Trace != "Root=1-5759e988-bd862e3fe1be46a994272793" || rec.Publication == nil {
		t.Errorf("the row is %+v", rec)
	}
}

func TestOptions(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		task    job.Task[note]
		options []job.Option
		bad     bool
		state   lifecycle.State
		starts  time.Time
	}{
		"none":                {task: write, state: lifecycle.Queued},
		"in a minute":         {task: write, options: []job.Option{job.In(time.Minute)}, state: lifecycle.Queued, starts: now.Add(time.Minute)},
		"in an hour":          {task: write, options: []job.Option{job.In(time.Hour)}, state: lifecycle.Scheduled, starts: now.Add(time.Hour)},
		"at a time":           {task: write, options: []job.Option{job.At(now.Add(time.Hour))}, state: lifecycle.Scheduled, starts: now.Add(time.Hour)},
		"at a time gone by":   {task: write, options: []job.Option{job.At(now.Add(-time.Hour))}, state: lifecycle.Queued},
		"in no time":          {task: write, options: []job.Option{job.In(0)}, state: lifecycle.Queued},
		"in less than none":   {task: write, options: []job.Option{job.In(-1)}, bad: true},
		"both":                {task: write, options: []job.Option{job.In(1), job.At(now)}, bad: true},
		"in a year":           {task: write, options: []job.Option{job.In(366 * day)}, state: lifecycle.Scheduled, starts: now.Add(366 * day)},
		"in more than a year": {task: write, options: []job.Option{job.In(366*day + 1)}, bad: true},
		"at a unit too large": {task: write, options: []job.Option{job.At(time.Unix(now.UnixMilli(), 0))}, bad: true},
		"a group, no FIFO":    {task: write, options: []job.Option{job.Group("a")}, bad: true},
		"FIFO, no group":      {task: post, bad: true},
		"FIFO":                {task: post, options: []job.Option{job.Group("a")}, state: lifecycle.Queued},
		"FIFO, later":         {task: post, options: []job.Option{job.Group("a"), job.In(12 * time.Hour)}, state: lifecycle.Queued, starts: now.Add(12 * time.Hour)},
		"FIFO, too late":      {task: post, options: []job.Option{job.Group("a"), job.In(12*time.Hour + 1)}, bad: true},
		"a group of spaces":   {task: post, options: []job.Option{job.Group("a b")}, bad: true},
		"a group of 128":      {task: post, options: []job.Option{job.Group(strings.Repeat("g", 128))}, state: lifecycle.Queued},
		"a group of 129":      {task: post, options: []job.Option{job.Group(strings.Repeat("g", 129))}, bad: true},
		"no id":               {task: write, options: []job.Option{job.WithID("1", "f")}, bad: true},
		"another's group's":   {task: post, options: []job.Option{job.Group("a"), job.WithID(job.IDOf([16]byte{1}).InGroup("ledger", "b"), "f")}, bad: true},
		"a fingerprint alone": {task: write, options: []job.Option{job.WithID("", "f")}, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			p, _, d := newProducer(t)
			rec, made, err := p.Make(t.Context(), c.task.With(note{Text: "milk"}), c.options...)
			if c.bad {
				if !errors.Is(err, producer.ErrOptions) || d.writes != 0 {
					t.Errorf("it gave %v after %d writes", err, d.writes)
				}
				return
			}
			if err != nil || !made || rec.State != c.state || !rec.NotBefore.Equal(c.starts) {
				t.Errorf("%v: made %v, %s, not before %v", err, made, rec.State, rec.NotBefore)
			}
			if queue, group, ok := rec.ID.Group(); ok != c.task.Definition().Policy.Queue.FIFO || ok && (queue != "ledger" || group == "") {
				t.Errorf("the id is %s", rec.ID)
			}
		})
	}
}

func TestBadRequestsWriteNothing(t *testing.T) {
	unknown := job.Define[note]("note.burn", job.Policy{Queue: load("notes")})
	d := write.Definition()
	for name, c := range map[string]struct {
		request job.Request
		want    error
		says    string
	}{
		"a task that is not registered": {unknown.With(note{Text: "x"}), producer.ErrUnknownTask, "producer.New"},
		"arguments of another type":     {job.Request{Definition: d, Arguments: 7}, producer.ErrArguments, "note"},
		"no arguments":                  {job.Request{Definition: d}, producer.ErrArguments, "nil"},
		"arguments that refuse":         {write.With(note{}), producer.ErrArguments, "text is empty"},
		"a byte too many":               {write.With(note{Text: strings.Repeat("x", 64-11+1)}), producer.ErrTooLarge, "65"},
		"raw and too large":             {job.Request{Definition: d, Arguments: json.RawMessage(strings.Repeat("1", 65))}, producer.ErrTooLarge, "object storage"},
	} {
		t.Run(name, func(t *testing.T) {
			p, _, d := newProducer(t)
			id, err := p.Enqueue(t.Context(), c.request)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || id != "" || d.writes != 0 {
				t.Errorf("it gave %q and %v after %d writes", id, err, d.writes)
			}
		})
	}
	p, _, _ := newProducer(t)
	if _, err := p.Enqueue(t.Context(), write.With(note{Text: strings.Repeat("x", 64-11)})); err != nil {
		t.Errorf("just small enough: %v", err)
	}
}

func TestTheSameRequestMakesOneJob(t *testing.T) {
	p, _, _ := newProducer(t)
	id := job.IDOf([16]byte{1, 2, 3})
	same := job.WithID(id, "f")
	first, made, err := p.Make(t.Context(), write.With(note{Text: "milk"}), same)
	if err != nil || !made || first.ID != id {
		t.Fatalf("%v %v %s", err, made, first.ID)
	}
	again, made, err := p.Make(t.Context(), write.With(note{Text: "milk"}), same)
	if err != nil || made || again.ID != id {
		t.Errorf("the second time: %v %v %s", err, made, again.ID)
	}
	if _, _, err := p.Make(t.Context(), write.With(note{Text: "tea"}), job.WithID(id, "g")); !errors.Is(err, producer.ErrOtherRequest) {
		t.Errorf("another request of that id: %v", err)
	}
	if _, ok, err := p.Earlier(t.Context(), "note.write", id, "f"); err != nil || !ok {
		t.Errorf("looking for it: %v %v", ok, err)
	}
	if _, ok, err := p.Earlier(t.Context(), "note.write", job.IDOf([16]byte{9}), "f"); err != nil || ok {
		t.Errorf("looking for none: %v %v", ok, err)
	}
	if _, _, err := p.Earlier(t.Context(), "note.write", id, "g"); !errors.Is(err, producer.ErrOtherRequest) {
		t.Errorf("looking for another: %v", err)
	}
}

func TestAFailureOfTheStoreIsTold(t *testing.T) {
	p, _, d := newProducer(t)
	d.fail = store.ErrThrottled
	if _, err := p.Enqueue(t.Context(), write.With(note{Text: "milk"})); !errors.Is(err, store.ErrThrottled) {
		t.Errorf("%v", err)
	}
	d.fail = store.ErrTooLarge
	if _, err := p.Enqueue(t.Context(), write.With(note{Text: "milk"})); !errors.Is(err, producer.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}

func TestNewReportsAllMistakesAtOnce(t *testing.T) {
	_, err := producer.New(producer.Config{}, write, write,
		job.Define[int]("Bad Name", job.Policy{Queue: load("notes")}),
		job.Define[note]("huge", job.Policy{Queue: load("notes"), MaxArguments: producer.MostArguments + 1}))
	if err == nil {
		t.Fatal("it was taken")
	}
	for _, part := range []string{"Config.Jobs", "defined twice", "Bad Name", "use a struct", "huge"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in: %v", part, err)
		}
	}
	if _, err := producer.New(producer.Config{}); err == nil || !strings.Contains(err.Error(), "no tasks") {
		t.Errorf("no tasks: %v", err)
	}
}
