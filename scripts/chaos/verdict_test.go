package main

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/queue"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

func row(state lifecycle.State, change ...func(*store.Record)) store.Record {
	rec := store.Record{Task: "chaos.pass", Row: lifecycle.Row{State: state, Attempt: 1, MaxAttempts: 1}}
	for _, c := range change {
		c(&rec)
	}
	return rec
}

func died(code, message string, deaths int) func(*store.Record) {
	return func(rec *store.Record) {
		rec.Error, rec.Deaths = &store.JobError{Code: code, Message: message}, deaths
	}
}

// A judge who finds everything right is worth nothing.
func TestJudgeFinds(t *testing.T) {
	quick := planned{kind: "quick", runs: 1}
	killer := planned{kind: "kills", runs: 1, poison: "worker_died"}
	fatal := planned{kind: "fatal", runs: 1, poison: work.Code}
	cancelledBy := func(answer lifecycle.State) planned {
		return planned{kind: "cancelled", runs: 1, cancel: true, cancelled: string(answer)}
	}
	once, none := effect{1, 1}, effect{}
	for name, tt := range map[string]struct {
		plan   planned
		row    store.Record
		effect effect
		want   string // "" where all is well
	}{
		"done":                             {quick, row(lifecycle.Done), once, ""},
		"stuck":                            {quick, row(lifecycle.Running), none, ruleStuck},
		"parked for ever":                  {quick, row(lifecycle.Scheduled), none, ruleStuck},
		"done twice":                       {quick, row(lifecycle.Done), effect{2, 1}, ruleOnce},
		"done without its effect":          {quick, row(lifecycle.Done), effect{0, 1}, ruleOnce},
		"its effect, and not done":         {killer, row(lifecycle.Dead, died("worker_died", "", 1)), once, ruleOnce},
		"a part twice":                     {planned{runs: 3}, row(lifecycle.Done), effect{1, 4}, ruleResult},
		"dead, though no poison":           {quick, row(lifecycle.Dead, died("failed", "", 0)), none, rulePoison},
		"poison that lives":                {killer, row(lifecycle.Done), once, rulePoison},
		"dead of its poison":               {killer, row(lifecycle.Dead, died("worker_died", "", 1)), none, ""},
		"dead of too few deaths":           {killer, row(lifecycle.Dead, died("worker_died", "", 0)), none, rulePoison},
		"dead of its fault":                {fatal, row(lifecycle.Dead, died(work.Code, work.Reason, 0)), none, ""},
		"dead of another fault":            {fatal, row(lifecycle.Dead, died("timeout", "", 0)), none, rulePoison},
		"cancelled":                        {cancelledBy(lifecycle.Cancelled), row(lifecycle.Cancelled), none, ""},
		"cancelled by nobody":              {quick, row(lifecycle.Cancelled), none, ruleCancels},
		"done after it had been cancelled": {cancelledBy(lifecycle.Cancelled), row(lifecycle.Done), once, ruleCancels},
		"done while it was asked to stop":  {cancelledBy(lifecycle.Running), row(lifecycle.Done), once, ""},
		"its cancellation forgotten":       {cancelledBy(""), row(lifecycle.Done), once, ruleCancels},
		"a wrong result": {planned{Request: work.Request{Task: work.Sum.Definition().Name}, runs: 1},
			row(lifecycle.Done, func(rec *store.Record) { rec.Result = []byte(`{"sum":7}`) }), once, ruleResult},
		"too early": {planned{Request: work.Request{In: time.Minute}, runs: 1},
			row(lifecycle.Done, func(rec *store.Record) { rec.Created, rec.Started = time.Unix(1, 0), time.Unix(9, 0) }), once, ruleEarly},
	} {
		t.Run(name, func(t *testing.T) {
			found := tt.plan.judge(tt.row, tt.effect)
			if tt.want == "" && len(found) > 0 || tt.want != "" && !slices.ContainsFunc(found, func(b breach) bool { return b.rule == tt.want }) {
				t.Errorf("found %v, want %q", found, tt.want)
			}
		})
	}
}

func TestLetters(t *testing.T) {
	dead := row(lifecycle.Dead, died("poison", "bad", 0))
	letter := queue.Message{Letter: &queue.Letter{Task: "chaos.pass", Code: "poison", Reason: "bad", Attempts: 1}}
	other := queue.Message{Letter: &queue.Letter{Task: "chaos.pass", Code: "poison", Reason: "worse", Attempts: 1}}
	for name, tt := range map[string]struct {
		row     store.Record
		letters []queue.Message
		want    string
	}{
		"one":                    {dead, []queue.Message{letter}, ""},
		"a copy":                 {dead, []queue.Message{letter, letter}, ""},
		"none":                   {dead, nil, "has no letter"},
		"two that differ":        {dead, []queue.Message{letter, other}, "different things"},
		"another reason":         {dead, []queue.Message{other}, "its row"},
		"of a job that is done":  {row(lifecycle.Done), []queue.Message{letter}, "1 letters"},
		"none, and none is owed": {row(lifecycle.Done), nil, ""},
	} {
		if got := letterBreach(tt.row, tt.letters); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

func TestOrder(t *testing.T) {
	var jobs []*planned
	for i := range 4 {
		jobs = append(jobs, &planned{Request: work.Request{Arguments: work.Arguments{Seq: i + 1}}, accepted: true})
	}
	jobs[1].poison = work.Code
	for text, want := range map[string]bool{"1 3 4": true, "3 1 4": false, "1 3": false, "1 3 3 4": false, "1 2 3 4": false} {
		var ended []int
		for _, c := range strings.Fields(text) {
			ended = append(ended, int(c[0]-'0'))
		}
		if got := orderBreach(jobs, ended); (got == "") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

func TestRulesOfChanges(t *testing.T) {
	now := time.Now()
	with := func(state lifecycle.State, edit func(*store.Record)) store.Record {
		rec := row(state)
		edit(&rec)
		return rec
	}
	running := func(token string, edit func(*store.Record)) store.Record {
		return with(lifecycle.Running, func(rec *store.Record) {
			rec.Token, rec.LeaseUntil = token, now.Add(-time.Minute)
			if edit != nil {
				edit(rec)
			}
		})
	}
	alone := func(attempt int) func(*store.Record) {
		return func(rec *store.Record) { rec.Alone, rec.Attempt = true, attempt }
	}
	for name, tt := range map[string]struct {
		old, new store.Record
		want     string
	}{
		"a job is made":            {store.Record{}, row(lifecycle.Queued), ""},
		"done again":               {row(lifecycle.Done), row(lifecycle.Running), ruleLegal},
		"taken over":               {running("a", nil), running("b", alone(1)), ""},
		"taken over too early":     {running("a", func(r *store.Record) { r.LeaseUntil = now.Add(time.Second) }), running("b", alone(1)), ruleLease},
		"charged for another":      {running("a", nil), running("b", alone(2)), ruleCharge},
		"not charged":              {running("a", alone(1)), running("b", alone(1)), ruleCharge},
		"charged":                  {running("a", alone(1)), running("b", alone(2)), ""},
		"among others again":       {running("a", nil), running("b", nil), ruleAlone},
		"requeued and charged":     {running("a", nil), with(lifecycle.Queued, func(r *store.Record) { r.N = 2 }), ruleCharge},
		"requeued":                 {running("a", nil), with(lifecycle.Queued, func(r *store.Record) { r.N, r.Attempt = 2, 0 }), ""},
		"suspect, among others":    {with(lifecycle.Queued, func(r *store.Record) { r.Suspect = true }), running("a", nil), ruleAlone},
		"retried though cancelled": {running("a", func(r *store.Record) { r.CancelRequested = true }), row(lifecycle.Queued), ruleCancel},
		"cancelled":                {running("a", func(r *store.Record) { r.CancelRequested = true }), row(lifecycle.Cancelled), ""},
		"before its time":          {with(lifecycle.Queued, func(r *store.Record) { r.NotBefore = now.Add(time.Minute) }), running("a", nil), ruleEarly},
	} {
		found := breaches(change{at: now, old: tt.old, new: tt.new})
		if tt.want == "" && len(found) > 0 || tt.want != "" && !slices.ContainsFunc(found, func(b breach) bool { return b.rule == tt.want }) {
			t.Errorf("%s: found %v, want %q", name, found, tt.want)
		}
	}
}

func TestOvertaking(t *testing.T) {
	p := newPlan(1, 200)
	var group []*planned
	for _, jobs := range p.groups {
		group = jobs
	}
	r := newRecorder(nil, p)
	take := func(j *planned, from, to lifecycle.State, token string) {
		r.take(change{old: store.Record{ID: j.rowID(), Row: lifecycle.Row{State: from}}, new: store.Record{ID: j.rowID(), Row: lifecycle.Row{State: to, Token: token}}})
	}
	for _, j := range group[:2] {
		take(j, lifecycle.None, lifecycle.Queued, "")
	}
	take(group[0], lifecycle.Queued, lifecycle.Running, "a")
	if len(r.violations) != 0 {
		t.Fatal(r.violations)
	}
	take(group[1], lifecycle.Queued, lifecycle.Running, "b")
	if len(r.violations) != 1 || r.violations[0].rule != ruleOrder {
		t.Errorf("a job overtook another: %v", r.violations)
	}
}

func TestTheSameSeedIsTheSameRun(t *testing.T) {
	a, b, other := newPlan(5, 1000), newPlan(5, 1000), newPlan(6, 1000)
	same := func(x, y *plan) bool {
		return slices.EqualFunc(x.jobs, y.jobs, func(i, j *planned) bool { return *i == *j })
	}
	if !same(a, b) || same(a, other) {
		t.Error("the plan does not follow from the seed")
	}
	dead := 0
	for _, j := range a.jobs {
		if j.poison != "" {
			dead++
		}
	}
	if dead != 1000/onePoisonIn {
		t.Errorf("%d of 1000 jobs are poison", dead)
	}
	fates := func(seed uint64) (all []string) {
		s := newStorm(seed, time.Hour)
		s.gusts = []gust{{time.Hour, 0.5}}
		s.begin()
		for range 200 {
			f := s.fault("dynamodb", "UpdateItem", httptest.NewRequest("POST", "/", nil))
			if f == nil {
				all = append(all, "fine")
				continue
			}
			all = append(all, f.Code+f.Delay.String())
		}
		return all
	}
	if !slices.Equal(fates(5), fates(5)) || slices.Equal(fates(5), fates(6)) {
		t.Error("the faults do not follow from the seed")
	}
	if slices.Equal(newStorm(5, time.Hour).gusts, newStorm(6, time.Hour).gusts) {
		t.Error("the weather does not follow from the seed")
	}
	calm := httptest.NewRequest("POST", "/", nil)
	calm = calm.WithContext(context.WithValue(calm.Context(), calmKey{}, true))
	s := newStorm(5, time.Hour)
	s.gusts = []gust{{time.Hour, 1}}
	s.begin()
	if s.fault("dynamodb", "UpdateItem", calm) != nil {
		t.Error("a call by the calm door went wrong")
	}
	s.end()
	if s.fault("dynamodb", "UpdateItem", httptest.NewRequest("POST", "/", nil)) != nil {
		t.Error("a call went wrong after the storm")
	}
}
