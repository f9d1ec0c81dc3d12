package invariants

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// tracked is what the test knows of a job.
type tracked struct {
	id   job.ID
	nth  int // in the order in which rows were made
	name string
	// rec is the row as it is.
	rec store.Record
	// accepted tells that its producer was told so.
	accepted bool
	runs     int
	// counted are the runs that may spend an attempt; failures and deaths do.
	// A redrive forgets them.
	counted, failures, deaths int
	refused                   bool // a handler failed it for good, or dropped it
	redriven                  bool
	// results are what runs returned that succeeded, by their token.
	results map[string]int
	// charged counts effects outside of the table.
	charged int
	// commits are the tokens of the runs that commit an effect with the job's
	// end, parts tells that there are effects before that, and doneBy is the
	// token of the run that ended it.
	commits map[string]bool
	parts   bool
	doneBy  string
	// ofEvent tells that it was made by a topic's message.
	ofEvent bool
	// was notes what steps that wait have seen of it.
	was map[string]bool
	// died counts how often it became dead.
	died int
	entailment
}

// String names the job.
func (j *tracked) String() string {
	if j.name != "" {
		return "job " + j.name
	}
	return "job " + string(j.id[len(j.id)-4:])
}

// An owner is who has a token.
type owner struct {
	p     *process
	until time.Time
	// ghost tells that its claim was applied when it had given up.
	ghost bool
}

// gone tells whether an owner had reason to leave its job to others.
func (o *owner) gone() bool {
	return o.ghost || o.p.Dead() || o.p.Stalled() || o.p.timedOut.Load() || o.p.paused.Load()
}

// changed judges a change of a row that a process made.
func (w *world) changed(p *process, c memstore.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.changedEvent(p, c) {
		return
	}
	old, was := w.decode(c.Old)
	now, is := w.decode(c.New)
	w.checkPlacesLocked(old, now)
	switch {
	case !is:
		if was {
			w.failLocked("%s was deleted by %s", old.ID, p)
		}
		return
	case !was:
		if !lifecycle.Legal(lifecycle.None, now.State) {
			w.failLocked("%s was made as %s by %s", now.ID, now.State, p)
		}
		w.madeLocked(p, now)
		w.entails(w.jobs[now.ID], store.Record{}, now)
		w.logLocked("%s: %s is made, %s", p, w.jobs[now.ID], now.State)
		return
	}
	j := w.jobs[now.ID]
	w.logLocked("%s: %s %s -> %s, attempt %d, n %d%s", p, j, old.State, now.State, now.Attempt, now.N, detailsOf(now))
	j.rec = now
	w.checkChange(p, j, old, now)
	w.entails(j, old, now)
}

// madeLocked takes note of a new row. That of an event's job is running already.
func (w *world) madeLocked(p *process, now store.Record) {
	j := w.trackLocked(now.ID)
	j.rec = now
	if now.State != lifecycle.Running {
		return
	}
	w.tokens[now.Token] = &owner{p: p, until: now.LeaseUntil, ghost: p.late.Load()}
	j.name, j.ofEvent = w.nameOfJob(now.ID), true
	if j.name == "" || now.Attempt != 1 || !strings.HasPrefix(j.name, named(now.Trace)) {
		w.failLocked("a job was made as running, which is %q of no event or in its %d. attempt", j.name, now.Attempt)
	}
}

func detailsOf(rec store.Record) string {
	text := ""
	if rec.Deaths > 0 {
		text += fmt.Sprintf(", %d deaths", rec.Deaths)
	}
	if rec.Suspect {
		text += ", a suspect"
	}
	if rec.CancelRequested {
		text += ", to be cancelled"
	}
	return text
}

// trackLocked gives what is known of a job.
func (w *world) trackLocked(id job.ID) *tracked {
	j := w.jobs[id]
	if j == nil {
		j = &tracked{id: id, nth: len(w.jobs), results: map[string]int{}, was: map[string]bool{}, commits: map[string]bool{}}
		w.jobs[id] = j
	}
	return j
}

func (w *world) decode(item store.Item) (store.Record, bool) {
	if item == nil {
		return store.Record{}, false
	}
	rec, err := store.Decode(item)
	if err != nil && !errors.Is(err, store.ErrNotAJob) {
		w.failLocked("a row can't be read: %v", err)
	}
	return rec, err == nil
}

func (w *world) checkChange(p *process, j *tracked, old, now store.Record) {
	if !lifecycle.Legal(old.State, now.State) {
		w.failLocked("%s went from %s to %s", j, old.State, now.State)
	}
	if now.N < old.N || now.Publication != nil && now.Publication.N != now.N {
		w.failLocked("%s: n went from %d to %d, and what is published is %+v", j, old.N, now.N, now.Publication)
	}
	if old.State == lifecycle.Running {
		w.checkOwner(p, j, old, now)
	}
	if now.State == lifecycle.Running && now.Token != old.Token {
		w.tokens[now.Token] = &owner{p: p, until: now.LeaseUntil, ghost: p.late.Load()}
	} else if o := w.tokens[now.Token]; o != nil && now.State == lifecycle.Running {
		o.until = now.LeaseUntil
	}
	switch {
	case now.State == lifecycle.Queued && old.State == lifecycle.Dead:
		j.counted, j.failures, j.deaths, j.refused, j.redriven = 0, 0, 0, false, true
	case now.State == lifecycle.Dead && old.State != lifecycle.Dead:
		j.died++
		w.checkDeath(j, old, now)
	case now.State == lifecycle.Done && old.State != lifecycle.Done:
		w.checkResult(j, old, now)
	}
}

// checkOwner: while a lease lasts, and a margin longer, a running job is its
// owner's alone; after that, others may take it over and nothing else. A former
// owner changes nothing.
func (w *world) checkOwner(p *process, j *tracked, old, now store.Record) {
	o := w.tokens[old.Token]
	if o == nil {
		w.failLocked("%s runs under a token that nobody drew", j)
		return
	}
	healed := now.State == lifecycle.Queued && now.N > old.N
	if o.p == p && now.Token == old.Token && !healed {
		return
	}
	asked := old
	asked.CancelRequested, asked.Spill = now.CancelRequested, now.Spill
	if reflect.DeepEqual(asked, now) {
		return // anybody may ask for its cancellation, or give a place back
	}
	if time.Now().Before(old.LeaseUntil.Add(lifecycle.LeaseMargin)) {
		w.failLocked("%s was changed by %s while %s had the lease", j, p, o.p)
		return
	}
	if now.Token == old.Token && !healed {
		w.failLocked("%s was changed by %s, which had lost it, under the token of %s", j, p, o.p)
		return
	}
	if old.Alone {
		j.deaths++
		if !o.gone() {
			w.failLocked("%s pays for a crash of %s, which lives", j, o.p)
		}
	}
	if spent := now.Attempt - old.Attempt; now.State == lifecycle.Running && (spent == 1) != old.Alone {
		w.failLocked("%s: a death spent %d attempts; alone: %v", j, spent, old.Alone)
	}
}

// checkDeath: a job is dead because it failed for good, failed or killed its worker
// as often as it may, or SQS refused it.
func (w *world) checkDeath(j *tracked, old, now store.Record) {
	code := ""
	if now.Error != nil {
		code = now.Error.Code
	}
	switch {
	case code == "":
		w.failLocked("%s is dead without a reason", j)
	case old.State == lifecycle.Queued && code != "undeliverable":
		w.failLocked("%s is dead from the queue: %s", j, code)
	case old.State == lifecycle.Running && !j.refused && j.failures+j.deaths < now.MaxAttempts:
		w.failLocked("%s is dead after %d failures and %d deaths; it may have %d", j, j.failures, j.deaths, now.MaxAttempts)
	case code == "worker_died" && j.deaths == 0:
		w.failLocked("%s is dead of crashes, and nobody crashed", j)
	}
}

// checkResult: a job is done with the result of the run that held it.
func (w *world) checkResult(j *tracked, old, now store.Record) {
	j.doneBy = old.Token
	run, ok := j.results[old.Token]
	if !ok {
		w.failLocked("%s is done, and the run that held it did not succeed", j)
		return
	}
	var result outcome
	if now.Result != nil && (json.Unmarshal(now.Result, &result) != nil || result.Run != run) {
		w.failLocked("%s is done with %s, and its run returned %d", j, now.Result, run)
	}
}

// checkOrderLocked: in a group a job runs only after all before have ended.
func (w *world) checkOrderLocked(j *tracked) {
	_, group, ordered := j.id.Group()
	if !ordered {
		return
	}
	for _, before := range w.jobs {
		_, g, _ := before.id.Group()
		if before.redriven {
			continue // it goes to the end of its group
		}
		if g == group && before.nth < j.nth && !before.rec.State.Final() {
			w.failLocked("%s overtook %s, which is %s", j, before, before.rec.State)
		}
	}
}
