package worker_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/telemetrytest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// observed makes a world whose worker has what sees it.
func observed(t *testing.T, config worker.Config, handlers ...worker.Handler) *world {
	t.Helper()
	w := newWorld(t, notes(nil), handlers...)
	config.Jobs, config.Queue = w.jobs, w.sqs
	config.Addresses = map[string]queue.Address{"notes": {URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notes", Letters: "letters"}}
	if config.Logger == nil {
		config.Logger = slog.New(slog.DiscardHandler)
	}
	var err error
	if w.worker, err = worker.New(config, handlers...); err != nil {
		t.Fatal(err)
	}
	return w
}

func TestRunsAreMeasured(t *testing.T) {
	broken := errors.New("broken")
	ends := map[string]error{
		"done": nil, "retried": broken, "dead": job.Fail(broken), "snoozed": job.Snooze(time.Minute), "cancelled": job.Discard("not wanted"),
	}
	var m telemetrytest.Recorder
	w := observed(t, worker.Config{Metrics: &m, Random: func() float64 { return 0.9 }}, worker.Handle(task(notes(nil)), func(ctx context.Context, j *job.Job[note]) error {
		if j.Args.Text == "commit" {
			return worker.Commit(ctx, j)
		}
		return ends[j.Args.Text]
	}))
	var messages []sent
	for text := range ends {
		messages = append(messages, message(w.enqueue(text, nil)))
	}
	messages = append(messages, message(w.enqueue("commit", nil)))
	// A message that comes again measures nothing: its job has ended, or does not run yet.
	w.deliver(messages...)
	w.deliver(messages...)
	for _, test := range []struct {
		metric telemetry.Metric
		times  int
		sum    float64
	}{
		{telemetry.Done, 2, 2}, {telemetry.Retried, 1, 1}, {telemetry.Dead, 1, 1}, {telemetry.Snoozed, 1, 1}, {telemetry.Cancelled, 1, 1},
		{telemetry.Attempts, 4, 4}, {telemetry.QueueWait, 6, -1}, {telemetry.ServiceTime, 6, -1},
	} {
		if got := m.Values(test.metric, "notes"); len(got) != test.times || test.sum >= 0 && m.Sum(test.metric, "notes") != test.sum {
			t.Errorf("%s: %v, want %d together %v", test.metric.Name, got, test.times, test.sum)
		}
	}
	if m.Unflushed() != 0 || m.Problems() != nil {
		t.Errorf("%d measurements were not flushed; %v", m.Unflushed(), m.Problems())
	}
}

// What was measured is that: how long the job had waited, how long its handler took, in which
// attempt it ended.
func TestWhatIsMeasured(t *testing.T) {
	begin := time.Now()
	now := begin
	var m telemetrytest.Recorder
	w := observed(t, worker.Config{Metrics: &m, Now: func() time.Time { return now }}, worker.Handle(task(notes(nil)), func(context.Context, *job.Job[note]) error {
		now = now.Add(1500 * time.Millisecond)
		return nil
	}))
	id := w.enqueue("x", nil)
	now = w.get(id).Created.Add(7 * time.Second)
	w.deliver(message(id))
	if wait, took := m.Values(telemetry.QueueWait, "notes"), m.Values(telemetry.ServiceTime, "notes"); len(wait) != 1 || wait[0] != 7000 || len(took) != 1 || took[0] != 1500 {
		t.Errorf("waited %v, took %v", wait, took)
	}
}

// An outcome that was not written is not counted.
func TestALostRunIsNotCounted(t *testing.T) {
	var m telemetrytest.Recorder
	var w *world
	w = observed(t, worker.Config{Metrics: &m}, worker.Handle(task(notes(nil)), func(ctx context.Context, j *job.Job[note]) error {
		rec := w.get(j.ID)
		_, err := w.jobs.Finish(ctx, rec, lifecycle.Outcome{To: lifecycle.Queued, GiveBack: true}) // somebody else's write
		return err
	}))
	w.deliver(message(w.enqueue("x", nil)))
	if done, took := m.Sum(telemetry.Done, "notes"), m.Values(telemetry.ServiceTime, "notes"); done != 0 || len(took) != 1 {
		t.Errorf("done %v, took %v", done, took)
	}
}

// A job that is dead because its worker died is counted by who finds it, and no run is.
func TestADeathOfTheWorkerIsCounted(t *testing.T) {
	var m telemetrytest.Recorder
	w := observed(t, worker.Config{Metrics: &m}, worker.Handle(task(notes(nil)), func(context.Context, *job.Job[note]) error { return nil }))
	id := w.enqueue("x", func(n *store.NewJob) { n.MaxAttempts = 1 })
	died := store.Lease{Token: "t", Until: time.Now().Add(-time.Minute), Alone: true}
	if claim, err := w.jobs.Claim(t.Context(), id, died); err != nil || !claim.Granted {
		t.Fatalf("%+v, %v", claim, err)
	}
	w.deliver(message(id))
	w.deliver(message(id))
	if rec := w.get(id); rec.State != lifecycle.Dead {
		t.Fatalf("it is %s", rec.State)
	}
	if dead, ran := m.Sum(telemetry.Dead, "notes"), m.Values(telemetry.ServiceTime, "notes"); dead != 1 || len(ran) != 0 {
		t.Errorf("dead %v, ran %v", dead, ran)
	}
}

const (
	traceA = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-00f067aa0ba902b7-01"
	traceB = "00-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb-00f067aa0ba902b7-01"
)

// Three jobs of a batch, with a trace, with another, with none: each line is of its own, the
// handler's and the worker's.
func TestLogLinesTellOfTheirJob(t *testing.T) {
	var out bytes.Buffer
	logger := slog.New(telemetry.LogHandler(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
	carried := map[string]string{}
	w := observed(t, worker.Config{Logger: logger}, worker.Handle(task(notes(func(q *job.Queue) { q.Bound = 1 })), func(ctx context.Context, j *job.Job[note]) error {
		logger.InfoContext(ctx, "writing", "text", j.Args.Text)
		carried[j.Args.Text] = telemetry.TraceFrom(ctx).String()
		if j.Args.Text == "c" {
			panic("no ink")
		}
		return nil
	}))
	ids := map[string]job.ID{}
	for text, trace := range map[string]string{"a": traceA, "b": traceB, "c": ""} {
		ids[text] = w.enqueue(text, func(n *store.NewJob) { n.Trace = trace })
	}
	w.deliver(message(ids["a"]), message(ids["b"]), message(ids["c"]))
	traces := map[string]string{string(ids["a"]): traceA[3:35], string(ids["b"]): traceB[3:35], string(ids["c"]): telemetry.NewTrace(string(ids["c"])).ID()}
	lines := 0
	for line := range bytes.Lines(out.Bytes()) {
		lines++
		var said struct {
			Msg, Job, Task, Queue, Trace, Text string
			Attempt                            int
		}
		if err := json.Unmarshal(line, &said); err != nil {
			t.Fatal(err)
		}
		if said.Task != "note.write" || said.Queue != "notes" || said.Attempt != 1 || said.Trace == "" || traces[said.Job] != said.Trace || said.Text != "" && string(ids[said.Text]) != said.Job {
			t.Errorf("%s", line)
		}
		for _, key := range []string{"job", "task", "queue", "attempt", "trace"} {
			if n := strings.Count(string(line), fmt.Sprintf("%q:", key)); n != 1 {
				t.Errorf("%s is there %d times: %s", key, n, line)
			}
		}
	}
	if lines != 7 { // a line of each handler's, one of each run, and the panic
		t.Errorf("%d lines:\n%s", lines, out.String())
	}
	if carried["a"] != traceA || carried["b"] != traceB || carried["c"] != "" {
		t.Errorf("carried: %v", carried)
	}
}

// Measuring a job costs no allocation, and a trace in its context none either.
func TestMeasuringAllocatesNothing(t *testing.T) {
	const size = 10
	event := benchEvent(t, size)
	allocations := func(metrics telemetry.Recorder) float64 {
		jobs, err := store.New(store.Config{Driver: newNoDriver(size)})
		if err != nil {
			t.Fatal(err)
		}
		w, err := worker.New(worker.Config{
			Jobs: jobs, Queue: &sqsFake{}, Logger: slog.New(slog.DiscardHandler), Metrics: metrics,
			Addresses: map[string]queue.Address{"notes": {URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/notes", Letters: "letters"}},
		}, worker.Handle(task(notes(nil)), func(ctx context.Context, _ *job.Job[note]) error {
			if telemetry.TraceFrom(ctx).IsZero() {
				return errors.New("no trace")
			}
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		return testing.AllocsPerRun(200, func() {
			if answer, err := w.Invoke(t.Context(), event); err != nil || len(answer) != len(`{"batchItemFailures":[]}`) {
				t.Fatalf("%s, %v", answer, err)
			}
		})
	}
	emf, err := telemetry.NewEMF(telemetry.EMFConfig{Out: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	none, measured := allocations(nil), allocations(emf)
	if measured > none+size/2 { // goroutines of neighbours allocate now and then
		t.Errorf("a batch of %d allocates %v times, and %v when it is measured", size, none, measured)
	}
}
