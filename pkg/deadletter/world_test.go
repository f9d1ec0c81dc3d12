package deadletter_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/fault"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

const (
	source  = "https://sqs.eu-west-1.amazonaws.com/123456789012/notes"
	letters = "https://sqs.eu-west-1.amazonaws.com/123456789012/notes-dead"
)

// sqsDouble is a standard queue, and whatever was sent to others. fail, if set,
// may let a call fail.
type sqsDouble struct {
	mu       sync.Mutex
	messages []*held
	receives int
	empty    map[int]bool // the receives, from 1, that bring nothing
	deleted  int
	sent     map[string][]queue.Outgoing
	fail     func(call string) error
}

type held struct {
	queue.Incoming
	visible time.Time
	handle  int
}

func (s *sqsDouble) called(call string) error {
	if s.fail == nil {
		return nil
	}
	return s.fail(call)
}

func (s *sqsDouble) Receive(_ context.Context, url string, ask queue.Ask) ([]queue.Incoming, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.called("receive"); err != nil {
		return nil, err
	}
	s.receives++
	if url != letters || ask.Hide < 30*time.Second || s.empty[s.receives] {
		return nil, nil
	}
	var came []queue.Incoming
	for _, m := range s.messages {
		if len(came) == ask.Most {
			break
		}
		if time.Now().Before(m.visible) {
			continue
		}
		m.visible, m.Receives, m.handle = time.Now().Add(ask.Hide), m.Receives+1, m.handle+1
		in := m.Incoming
		in.Receipt = fmt.Sprintf("%s/%d", m.ID, m.handle)
		came = append(came, in)
	}
	return came, nil
}

func (s *sqsDouble) find(receipt string) (int, error) {
	for i, m := range s.messages {
		if receipt == fmt.Sprintf("%s/%d", m.ID, m.handle) {
			return i, nil
		}
	}
	return 0, errors.New("the receipt is not the last one of a message")
}

func (s *sqsDouble) Hide(ctx context.Context, _ string, hidden []queue.Hidden) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(hidden))
	for i, h := range hidden {
		at, err := s.find(h.Receipt)
		if err == nil && !time.Now().Before(s.messages[at].visible) {
			err = errors.New("MessageNotInflight")
		}
		if err = errors.Join(err, s.called("hide"), ctx.Err()); err == nil {
			s.messages[at].visible = time.Now().Add(h.For)
		}
		errs[i] = err
	}
	return errs
}

func (s *sqsDouble) Delete(_ context.Context, _ string, receipts []string) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(receipts))
	for i, receipt := range receipts {
		at, err := s.find(receipt)
		if err = errors.Join(err, s.called("delete")); err == nil {
			s.messages = append(s.messages[:at], s.messages[at+1:]...)
			s.deleted++
		}
		errs[i] = err
	}
	return errs
}

func (s *sqsDouble) Send(_ context.Context, url string, messages []queue.Outgoing) []error {
	s.mu.Lock()
	defer s.mu.Unlock()
	errs := make([]error, len(messages))
	for i, m := range messages {
		if errs[i] = s.called("send"); errs[i] == nil {
			s.sent[url] = append(s.sent[url], m)
		}
	}
	return errs
}

func (s *sqsDouble) Depth(context.Context, string) (queue.Depth, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	visible, hidden := 0, 0
	for _, m := range s.messages {
		if time.Now().Before(m.visible) {
			hidden++
		} else {
			visible++
		}
	}
	return queue.Depth{Visible: visible, InFlight: hidden}, s.called("depth")
}

// A world is a dead-letter queue and its jobs.
type world struct {
	t      *testing.T
	sqs    *sqsDouble
	faults *fault.Driver
	jobs   *store.Jobs // without faults
	queue  *deadletter.Queue
	made   int
}

func newWorld(t *testing.T, edit func(*deadletter.Config)) *world {
	t.Helper()
	memory := memstore.New(memstore.Config{})
	w := &world{t: t, sqs: &sqsDouble{sent: map[string][]queue.Outgoing{}}, faults: &fault.Driver{Inner: memory}}
	w.jobs = w.jobsOn(memory)
	config := deadletter.Config{
		Jobs: w.jobsOn(w.faults), SQS: w.sqs, Address: queue.Address{URL: source, Letters: letters}, Random: func() float64 { return 0.5 },
	}
	if edit != nil {
		edit(&config)
	}
	var err error
	if w.queue, err = deadletter.New(config); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) jobsOn(driver store.Driver) *store.Jobs {
	w.t.Helper()
	jobs, err := store.New(store.Config{Driver: driver})
	if err != nil {
		w.t.Fatal(err)
	}
	return jobs
}

// enqueue makes a job.
func (w *world) enqueue(edit func(*store.NewJob)) job.ID {
	w.t.Helper()
	id, err := w.jobs.NewID()
	if err != nil {
		w.t.Fatal(err)
	}
	n := store.NewJob{ID: id, Task: "note.write", Queue: "notes", MaxAttempts: 3, Args: []byte(`{}`), Client: "ann", Trace: "Root=1"}
	if edit != nil {
		edit(&n)
	}
	if _, _, err := w.jobs.Create(w.t.Context(), n); err != nil {
		w.t.Fatal(err)
	}
	return n.ID
}

// end ends a job.
func (w *world) end(id job.ID, outcome lifecycle.Outcome) {
	w.t.Helper()
	claim, err := w.jobs.Claim(w.t.Context(), id, store.Lease{Token: "mine", Until: time.Now().Add(time.Minute)})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.jobs.Finish(w.t.Context(), claim.Record, outcome); err != nil {
		w.t.Fatal(err)
	}
}

// die ends a job as dead and puts its letter into the queue, as the relay does.
func (w *world) die(id job.ID) {
	w.t.Helper()
	w.end(id, lifecycle.Outcome{To: lifecycle.Dead, Err: errors.New("boom")})
	w.letter(id)
}

// letter puts a dead job's letter into the queue.
func (w *world) letter(id job.ID) {
	w.t.Helper()
	rec := w.get(id)
	if err := w.jobs.LetterSent(w.t.Context(), id, rec.N); err != nil {
		w.t.Fatal(err)
	}
	body, err := queue.Message{ID: id, N: rec.N, Trace: rec.Trace, Letter: &queue.Letter{
		Task: rec.Task, Queue: rec.Queue, Code: rec.Error.Code, Reason: rec.Error.Message, Client: rec.Client,
		Attempts: rec.Attempt, CreatedAt: rec.Created, StartedAt: rec.Started, DiedAt: rec.Finished,
	}}.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	w.put(queue.Incoming{Body: body})
}

// put puts a message into the dead-letter queue.
func (w *world) put(in queue.Incoming) string {
	w.made++
	in.ID, in.Sent = fmt.Sprintf("m-%03d", w.made), time.Now()
	w.sqs.mu.Lock()
	defer w.sqs.mu.Unlock()
	w.sqs.messages = append(w.sqs.messages, &held{Incoming: in})
	return in.ID
}

// dead makes a job that died, with its letter.
func (w *world) dead(edit func(*store.NewJob)) job.ID {
	w.t.Helper()
	id := w.enqueue(edit)
	w.die(id)
	return id
}

func (w *world) get(id job.ID) store.Record {
	w.t.Helper()
	rec, err := w.jobs.Get(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return rec
}

// redrive runs once and gives what became of the letters: "status:ID" in order.
func (w *world) redrive(o deadletter.Options) (deadletter.Summary, []deadletter.Result) {
	w.t.Helper()
	var results []deadletter.Result
	o.Each = func(r deadletter.Result) { results = append(results, r) }
	summary, err := w.queue.Redrive(w.t.Context(), o)
	if err != nil {
		w.t.Fatal(err)
	}
	return summary, results
}

// left gives how many messages are in the queue, and fails the test where one of
// them is hidden.
func (w *world) left() int {
	w.t.Helper()
	depth, err := w.sqs.Depth(w.t.Context(), letters)
	if err != nil || depth.InFlight != 0 {
		w.t.Errorf("hidden after the run: %+v, %v", depth, err)
	}
	return depth.Total()
}

func words(results []deadletter.Result) string {
	var all []string
	for _, r := range results {
		all = append(all, string(r.Status))
	}
	return strings.Join(all, " ")
}
