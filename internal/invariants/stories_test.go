package invariants

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/deadletter"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
)

// mishaps are about what was lost, or came where it should not.
func mishaps() []scenario {
	toBackstop := func(at time.Duration) step { return moveAll(at, theNotes, theBackstop) }
	return []scenario{
		{
			name:  "heal: message lost",
			loses: true,
			begin: func(w *world) { w.hideNotes = true },
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}), lose(time.Second, theNotes),
				mishap(time.Second, func(w *world) error { w.hideNotes = false; return nil }),
			},
			ends: ends{"a": done},
		},
		{
			name:  "heal: relay record lost",
			loses: true,
			steps: []step{enqueueLost("a"), enqueueLost("b")},
			ends:  ends{"a": done, "b": done},
		},
		{
			name: "heal: letter lost",
			begin: func(w *world) {
				w.lostLetters = 1
			},
			steps: []step{enqueue(0, "a", write, []string{"permanent"})},
			ends:  ends{"a": dead},
		},
		{
			name:  "heal: orphans",
			loses: true,
			steps: []step{
				enqueue(0, "a", write, []string{"ok die", "ok"}),
				enqueue(0, "b", write, []string{"ok die", "ok"}),
				remove(13*time.Second, "b"),
				lose(20*time.Second, theNotes),
			},
			ends: ends{"a": done, "b": either},
		},
		{
			name:  "heal: suspect among others",
			loses: true,
			steps: []step{
				enqueue(0, "a", write, []string{"ok die", "ok"}), enqueue(0, "b", write, []string{"quick"}),
				lose(20*time.Second, theNotes),
				mishap(time.Minute, func(w *world) error { w.hideNotes = true; return nil }),
				enqueue(8*time.Minute, "c", write, []string{"quick"}),
				mishap(9*time.Minute, func(w *world) error { w.hideNotes = false; return nil }),
			},
			ends: ends{"a": done, "b": done, "c": done},
		},
		{
			name:  "heal: due passed by",
			loses: true,
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}, job.In(16*time.Minute)),
				move(10*time.Second, "a", 2*time.Minute),
				mishap(time.Minute, func(w *world) error { return w.passBy(10 * time.Minute) }),
			},
			ends: ends{"a": done},
		},
		{
			name:  "backstop: queued",
			begin: func(w *world) { w.hideNotes = true },
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}), toBackstop(time.Second),
				mishap(time.Second, func(w *world) error { w.hideNotes = false; return nil }),
			},
			ends: ends{"a": done},
		},
		{
			name: "backstop: running",
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}), toBackstop(5 * time.Second),
				enqueue(20*time.Second, "b", write, []string{"ok die", "ok"}), toBackstop(33 * time.Second),
			},
			ends: ends{"a": done, "b": done},
		},
		{
			name: "backstop: orphan to be cancelled",
			steps: []step{
				enqueue(0, "a", write, []string{"ok die"}), remove(5*time.Second, "a"), toBackstop(13 * time.Second),
			},
			ends: ends{"a": {lifecycle.Cancelled, lifecycle.Dead}},
		},
		{
			name: "backstop: letters",
			steps: []step{
				enqueue(0, "a", write, []string{"mortal"}),
				enqueue(0, "b", replace, []string{"mortal"}, job.Unique("k")),
				when(when(sendBack(0, theLetters, theBackstop), "a", isDead), "b", isDead),
			},
			ends: ends{"a": done, "b": done},
		},
		{
			name:   "outage: something is due",
			outage: [2]time.Duration{20 * time.Second, 6*time.Minute + 30*time.Second},
			steps:  []step{enqueue(time.Second, "a", write, []string{"ok"}, job.In(16*time.Minute)), move(10*time.Second, "a", 3*time.Minute)},
			ends:   ends{"a": done},
		},
		{
			name:   "outage: something runs",
			loses:  true, // what nobody can hide, the scan takes for lost
			outage: [2]time.Duration{20 * time.Second, 3 * time.Minute},
			steps:  []step{enqueue(0, "a", write, []string{"fail", "ok"}), enqueue(15*time.Second, "b", write, []string{"ok"})},
			ends:   ends{"a": done, "b": done},
		},
		{
			name:  "full queue",
			begin: func(w *world) { w.refuse(w.notes, "OverLimit") },
			steps: []step{
				enqueue(0, "a", write, []string{"ok"}), enqueue(time.Second, "b", write, []string{"ok"}),
				mishap(3*time.Minute, func(w *world) error { w.refuse(w.notes, ""); return nil }),
			},
			ends: ends{"a": done, "b": done},
		},
		{
			name:  "letter put off",
			begin: func(w *world) { w.refuse(w.letters, "OverLimit") },
			steps: []step{
				enqueue(0, "a", write, []string{"permanent"}),
				mishap(2*time.Minute, func(w *world) error { w.refuse(w.letters, ""); return nil }),
			},
			ends: ends{"a": dead},
		},
		{
			name:  "refused message",
			begin: func(w *world) { w.refuse(w.notes, refused) },
			steps: []step{enqueue(0, "a", write, []string{"ok"})},
			ends:  ends{"a": dead},
		},
		{
			name: "undecodable message",
			begin: func(w *world) {
				w.sqs.put(w.notes, &message{body: "{"})
			},
			check: func(w *world) {
				if n := len(w.sqs.in(w.letters)); n < 1 || n > 1 && !w.faulty {
					w.failf("%d letters of one undecodable message", n)
				}
			},
		},
	}
}

// clients are about the HTTP API, unique jobs and large values.
func clients() []scenario {
	empty, full := func(*world) int { return 0 }, func(w *world) int { return 100 }
	return []scenario{
		{
			name: "HTTP",
			steps: []step{
				post(0, "a", []string{"ok large"}, empty), post(time.Second, "a", []string{"ok large"}, full),
				look(2*time.Second, "a"),
			},
			ends: ends{"a": done},
		},
		{
			name: "HTTP: cancel",
			steps: []step{
				post(0, "a", []string{"ok fail"}, empty), remove(5*time.Second, "a"),
				enqueue(0, "b", write, []string{"fail"}, job.In(2*time.Minute)), remove(6*time.Second, "b"),
			},
			ends: ends{"a": {lifecycle.Cancelled, lifecycle.Dead}, "b": cancelled},
		},
		{
			name:    "claim check",
			objects: true,
			begin: func(w *world) {
				w.keep(claimcheck.ArgsKey(idOf("nobody"), "orphan"))
			},
			steps: []step{enqueueNote(0, "a", write, note{Does: []string{"fail", "ok large"}, Pad: strings.Repeat("x", 20<<10)})},
			ends:  ends{"a": done},
		},
		{
			name: "unique",
			steps: []step{
				enqueueUnique(0, "a", write, []string{"ok"}),
				enqueueUnique(5*time.Second, "b", write, []string{"ok"}),
				enqueueUnique(2*time.Minute, "c", write, []string{"quick"}),
				mishap(5*time.Minute, func(w *world) error { return nil }), // for the sweep to free the key
			},
			ends: ends{"a": done},
		},
		{
			name: "unique: newest wins",
			steps: []step{
				enqueueUnique(0, "a", replace, []string{"permanent"}, job.In(30*time.Second)),
				enqueueUnique(5*time.Second, "b", replace, []string{"ok"}, job.In(30*time.Second)),
				enqueueUnique(35*time.Second, "c", replace, []string{"quick"}),
				newer(4*time.Second, "a", `{"does":["quick"]}`),
			},
			check: func(w *world) {
				for _, j := range w.everyJob() {
					if j.rec.State == lifecycle.Dead && !w.faulty {
						w.failf("%s ran with its old arguments", j)
					}
				}
			},
		},
	}
}

// deadLetters are about letters that come back.
func deadLetters() []scenario {
	redriveIt := func(at time.Duration, name string) step {
		return step{at, "operator", func(w *world, p *process, ctx context.Context) error {
			standing, err := deadletter.RedriveJob(ctx, p.jobs, idOf(name))
			if err == nil && standing == deadletter.Gone {
				err = fmt.Errorf("job %s is gone", name)
			}
			return err
		}}
	}
	return []scenario{
		{
			name: "redrive: by an operator",
			begin: func(w *world) {
				w.sqs.put(w.letters, &message{body: "{"})
			},
			steps: []step{
				enqueue(0, "a", write, []string{"mortal"}), enqueueUnique(0, "b", write, []string{"mortal"}),
				when(when(operate(time.Second, redriveAll), "a", isDead), "b", isDead),
			},
			ends: ends{"a": done, "b": done},
		},
		{
			name: "redrive: without a letter",
			steps: []step{
				enqueue(0, "a", write, []string{"mortal"}), when(redriveIt(time.Second, "a"), "a", isDead),
			},
			ends: ends{"a": done},
		},
		{
			name: "redrive: key taken",
			steps: []step{
				enqueueUnique(0, "a", write, []string{"mortal"}),
				when(enqueueUnique(time.Second, "b", write, []string{"fail", "fail", "ok"}, job.In(time.Minute)), "a", isDead),
				when(sendBack(2*time.Second, theLetters, theNotes), "a", isDead),
			},
			ends: ends{"b": done},
		},
	}
}

// others are about processes that poll, effects elsewhere, and order.
func others() []scenario {
	return []scenario{
		{
			name: "poll", polled: true,
			steps: []step{enqueue(0, "a", writeLong, []string{"fail", "long progress"}), enqueue(0, "b", writeLong, []string{"quick"})},
			ends:  ends{"a": done, "b": done},
		},
		{
			name: "poll: drain", polled: true,
			steps: []step{
				enqueue(0, "a", writeLong, []string{"long"}),
				mishap(50*time.Second, func(w *world) error { w.drain(); return nil }),
			},
			ends: ends{"a": done},
		},
		{
			name: "periodic",
			steps: []step{
				fire(0, 0), fire(2*time.Minute, 2*time.Minute),
			},
			check: func(w *world) {
				if len(w.jobs) != 2 {
					w.failf("%d jobs of two occurrences", len(w.jobs))
				}
			},
		},
		{
			name:  "heartbeat",
			steps: []step{enqueue(0, "a", write, []string{"beat ok"})},
			ends:  ends{"a": done},
		},
		{
			name:  "idempotency",
			steps: []step{enqueue(0, "a", write, []string{"once charge", "once charge ok fail", "once charge"})},
			ends:  ends{"a": done},
			check: func(w *world) { w.checkCharges(2) },
		},
		{
			name:  "idempotency: large answer",
			steps: []step{enqueue(0, "a", write, []string{"once-large fail", "once-large"})},
			ends:  ends{"a": done},
			check: func(w *world) { w.checkCharges(1) },
		},
		{
			name: "order",
			steps: []step{
				enqueue(0, "a", writeInTurn, []string{"fail", "ok"}, job.Group("g")),
				enqueue(time.Second, "b", writeInTurn, []string{"permanent"}, job.Group("g")),
				enqueue(2*time.Second, "c", writeInTurn, []string{"ok"}, job.Group("g")),
				enqueue(2*time.Second, "d", writeInTurn, []string{"ok"}, job.Group("h")),
			},
		},
	}
}

func theBackstop(w *world) *simulatedQueue { return w.backstop }

// enqueueLost makes a job whose record the relay never sees.
func enqueueLost(name string) step {
	s := enqueue(0, name, write, []string{"ok"})
	do := s.do
	s.do = func(w *world, p *process, ctx context.Context) error {
		err := do(w, p, ctx)
		w.skip()
		return err
	}
	return s
}

// enqueueUnique makes a job of a key; another's job is an answer too.
func enqueueUnique(at time.Duration, name string, task job.ResultTask[note, outcome], does []string, options ...job.Option) step {
	return enqueue(at, name, task, does, append(options, job.Unique("the key"))...)
}

// keep puts an object where large values are.
func (w *world) keep(key string) {
	if err := w.objects.Put(context.Background(), key, []byte("{}")); err != nil {
		panic(err)
	}
}

// checkCharges: an effect that is done once is done once, but for an owner that
// ended between the effect and its record.
func (w *world) checkCharges(want int) {
	if j := w.named("a"); j.charged < want || j.charged > want && !w.faulty {
		w.failf("charged %d times, want %d", j.charged, want)
	}
}
