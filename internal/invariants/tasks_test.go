package invariants

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/nightshift-go/nightshift/pkg/backoff"
	"github.com/nightshift-go/nightshift/pkg/idempotency"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// A note is what the jobs of these tests are made of: what their handler does, run
// by run; the last entry is repeated.
type note struct {
	Does []string `json:"does"`
	Pad  string   `json:"pad,omitempty"`
}

// An outcome is what a handler returns: the number of its run.
type outcome struct {
	Run int    `json:"run"`
	Pad string `json:"pad,omitempty"`
}

// The queues and tasks of these tests.
var (
	notes   = job.Queue{Name: "notes", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: 2 * time.Minute, Batch: 3, Bound: 2}
	ordered = job.Queue{Name: "ordered", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: 2 * time.Minute, Batch: 3, Bound: 2, FIFO: true}
	polled  = job.Queue{Name: "polled", PeakArrivals: 1, ServiceTime: time.Second, LongestWait: 2 * time.Minute, Batch: 2, Bound: 2, Polled: true}

	quick = backoff.Policy{Base: 2 * time.Second, Floor: 2 * time.Second, Cap: 2 * time.Second}

	write       = define("note.write", notes, taskTime, job.Uniqueness{})
	replace     = define("note.replace", notes, taskTime, job.Uniqueness{NewestWins: true})
	writeInTurn = define("note.turn", ordered, taskTime, job.Uniqueness{})
	writeLong   = define("note.long", polled, 10*time.Minute, job.Uniqueness{})
)

// taskTime is the tasks' timeout, and workTime what a run takes.
const (
	taskTime = 20 * time.Second
	workTime = 12 * time.Second
)

func define(name string, q job.Queue, timeout time.Duration, unique job.Uniqueness) job.ResultTask[note, outcome] {
	return job.DefineResult[note, outcome](name, job.Policy{
		Queue: q, Timeout: timeout, MaxAttempts: 4, Backoff: quick, Unique: unique, Public: !q.FIFO, MaxArguments: 64 << 10,
	})
}

// handlers are what a process does with the jobs of a queue.
func (w *world) handlers(p *process, q *simulatedQueue) []worker.Handler {
	switch q {
	case w.ordered:
		return []worker.Handler{worker.HandleResult(writeInTurn, w.handler(p)), w.on(p, hearInTurn)}
	case w.feeds:
		return []worker.Handler{w.on(p, feed)}
	case w.narrow:
		return []worker.Handler{worker.HandleResult(writeNarrow, w.handler(p))}
	case w.polls:
		return []worker.Handler{worker.HandleResult(writeLong, w.handler(p))}
	}
	return []worker.Handler{
		worker.HandleResult(write, w.handler(p)), worker.HandleResult(replace, w.handler(p)),
		worker.HandleResult(followingUp, w.handler(p)), w.on(p, hear),
	}
}

var errBoom = errors.New("boom")

// handler does what a job says, in a process.
func (w *world) handler(p *process) func(context.Context, *job.Job[note]) (outcome, error) {
	return func(ctx context.Context, j *job.Job[note]) (outcome, error) {
		known, run := w.begin(p, j.ID, job.Token(j))
		if known == nil {
			return outcome{}, errBoom
		}
		w.release()
		var err error
		result := outcome{Run: run}
		for _, does := range strings.Fields(j.Args.Does[min(run, len(j.Args.Does))-1]) {
			if err = w.do(ctx, p, j, known, does, &result); err != nil {
				break
			}
		}
		w.end(p, known, job.Token(j), result, err)
		return result, err
	}
}

// do makes one step of a run.
func (w *world) do(ctx context.Context, p *process, j *job.Job[note], known *tracked, does string, result *outcome) error {
	switch does {
	case "ok":
		return pause(ctx, workTime)
	case "long": // longer than a lease and a message's visibility
		return pause(ctx, 100*time.Second)
	case "beat":
		rec := w.recordOf(known)
		_, err := p.jobs.Heartbeat(ctx, rec, rec.LeaseUntil.Add(time.Second))
		return err
	case "quick":
		return nil
	case "large":
		result.Pad = strings.Repeat("x", 20<<10)
		return nil
	case "overrun":
		time.Sleep(time.Minute)
		return nil
	case "fail":
		return errBoom
	case "later":
		return job.RetryAfter(16*time.Minute, errBoom)
	case "mortal": // until it has been dead once
		if w.deathsOf(known) == 0 {
			return job.Fail(errBoom)
		}
		return nil
	case "permanent":
		return job.Fail(errBoom)
	case "discard":
		return job.Discard("unwanted")
	case "panic":
		w.mu.Lock()
		known.failures++
		w.mu.Unlock()
		panic("boom")
	case "snooze":
		return job.Snooze(30 * time.Second)
	case "nap":
		return job.Snooze(16 * time.Minute)
	case "continue":
		return job.Continue(result.Run)
	case "progress":
		return worker.Progress(ctx, j, result.Run)
	case "commit":
		w.mu.Lock()
		known.commits[job.Token(j)] = true
		w.mu.Unlock()
		w.returns(known, job.Token(j), *result) // the job is done before the handler returns
		return worker.CommitResult(ctx, j, *result, w.effect(j.ID))
	case "commit-continue":
		w.mu.Lock()
		known.parts = true
		w.mu.Unlock()
		err := worker.CommitContinue(ctx, j, result.Run, w.effect(j.ID))
		if err == nil {
			w.mu.Lock()
			known.counted--
			w.mu.Unlock()
		}
		return err
	case "once":
		return w.pay(ctx, p, j, known, result.Run == 1, "")
	case "once-large":
		return w.pay(ctx, p, j, known, false, strings.Repeat("x", 20<<10))
	case "charge":
		return w.records(p).Do(ctx, idempotency.Key{Scope: "notes.charge", ID: j.Key("charge")}, func(context.Context) error {
			_, err := w.charge(p, known, result.Run < 3)
			return err
		})
	case "limit-handler", "limit-result", "limit-all", "limit-slots", "limit-bucket", "limit-slot":
		return w.limited(ctx, p, j, does)
	case "tally":
		return w.tally(ctx, j)
	case "die":
		p.kill()
		return errBoom
	}
	panic("no handler does " + does)
}

func (w *world) records(p *process) *idempotency.Records {
	records, err := idempotency.New(idempotency.Config{Driver: p.driver, Objects: p.objects, Random: p.random, Logger: silent})
	if err != nil {
		panic(err)
	}
	return records
}

// A receipt is what a bank answers.
type receipt struct {
	Number int    `json:"number"`
	Pad    string `json:"pad,omitempty"`
}

// pay has an effect outside of the table, with an answer.
func (w *world) pay(ctx context.Context, p *process, j *job.Job[note], known *tracked, refuse bool, pad string) error {
	r, err := idempotency.Once(ctx, w.records(p), idempotency.Key{Scope: "notes.pay", ID: j.Key("pay")}, func(context.Context) (receipt, error) {
		n, err := w.charge(p, known, refuse)
		return receipt{Number: n, Pad: pad}, err
	})
	if err == nil && (r.Number < 1 || r.Pad != pad) {
		w.failf("%s: the answer of a payment is %d", known, r.Number)
	}
	return err
}

// charge is the effect: a bank takes the money, or refuses. It gives how often the
// money was taken.
func (w *world) charge(p *process, known *tracked, refuse bool) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if refuse || p.Dead() {
		return 0, errBoom
	}
	known.charged++
	return known.charged, nil
}

func (w *world) recordOf(j *tracked) store.Record {
	w.mu.Lock()
	defer w.mu.Unlock()
	return j.rec
}

func (w *world) deathsOf(j *tracked) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return j.died
}

// pause works for a while.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// effectKey is the row that counts a job's effects in the table itself.
func effectKey(id job.ID) store.Item {
	return store.Item{
		store.PartitionKey: &types.AttributeValueMemberS{Value: "effect#" + string(id)},
		store.SortKey:      &types.AttributeValueMemberS{Value: "effect"},
	}
}

// effect is the write that a handler commits.
func (w *world) effect(id job.ID) store.Write {
	return store.Write{
		Op: store.Update, Key: effectKey(id), Update: "ADD #count :one", Names: map[string]string{"#count": "count"},
		Values: store.Item{":one": &types.AttributeValueMemberN{Value: "1"}},
	}
}

// effects reads how often a job's effect was committed.
func (w *world) effects(id job.ID) (n int) {
	item, err := w.table.Get(context.Background(), effectKey(id))
	if err != nil {
		w.failf("reading effects: %v", err)
	}
	if count, ok := item["count"].(*types.AttributeValueMemberN); ok {
		fmt.Sscan(count.Value, &n)
	}
	return n
}

// begin takes note that a run begins. A dead process runs nothing.
func (w *world) begin(p *process, id job.ID, token string) (*tracked, int) {
	if p.Dead() {
		return nil, 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.jobs[id]
	known.runs++
	known.counted++
	w.logLocked("%s: %s runs, %d. time, attempt %d", p, known, known.runs, known.rec.Attempt)
	owner := w.tokens[token]
	held := known.rec.State == lifecycle.Running && known.rec.Token == token
	if owner == nil || owner.p != p {
		w.failLocked("%s runs in %s under a token that is not its own", known, p)
	} else if !held && time.Now().Before(owner.until) {
		w.failLocked("%s runs in %s, and its row is %s under another token", known, p, known.rec.State)
	}
	w.checkOrderLocked(known)
	return known, known.runs
}

// returns takes note of what a run that succeeds returns.
func (w *world) returns(known *tracked, token string, result outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known.results[token] = result.Run
}

// end takes note of how a run ended.
func (w *world) end(p *process, known *tracked, token string, result outcome, err error) {
	if p.Dead() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var (
		fail    *job.FailError
		snooze  *job.SnoozeError
		cont    *job.ContinueError
		discard *job.DiscardError
	)
	switch {
	case err == nil:
		known.results[token] = result.Run
	case errors.As(err, &discard), errors.As(err, &fail):
		known.refused = true
	case errors.As(err, &snooze), errors.As(err, &cont):
		known.counted--
	default:
		known.failures++
	}
	w.logLocked("%s: %s returns %v", p, known, err)
}
