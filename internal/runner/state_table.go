package runner

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/periodic"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// tablePages bounds how much of the jobs table is read for its state, in pages of 1 MB.
const tablePages = 16

// tableState is what stands in the jobs table.
type tableState struct {
	// Jobs counts jobs by their states.
	Jobs map[lifecycle.State]int `json:"jobs"`
	// Events are those that wait for the relay, were put off, or were refused by
	// their topics; the oldest first.
	Events []eventState `json:"events"`
	// Whole tells that all rows were read, Rows how many.
	Whole bool `json:"whole"`
	Rows  int  `json:"rows"`
	// Unreadable says which rows make no sense.
	Unreadable string `json:"unreadable,omitempty"`
	// Periodic are the periodic jobs that functions have declared.
	Periodic []periodicState `json:"periodic"`
}

type eventState struct {
	ID      string    `json:"id"`
	Event   string    `json:"event"`
	Topic   string    `json:"topic"`
	Key     string    `json:"key,omitempty"`
	State   string    `json:"state"` // waiting, put off, refused
	Reason  string    `json:"reason,omitempty"`
	Created time.Time `json:"created_at"`
	Due     time.Time `json:"due_at,omitzero"`
}

type periodicState struct {
	Name       string    `json:"name"`
	Expression string    `json:"expression"`
	Zone       string    `json:"zone,omitempty"`
	Paused     bool      `json:"paused"`
	Last       time.Time `json:"last_at,omitzero"`
	Next       time.Time `json:"next_at,omitzero"`
}

// serveTable tells what stands in the jobs table, of which it reads the beginning at
// least; null where no function has one.
func (s *Stack) serveTable(w http.ResponseWriter, r *http.Request) {
	name := s.found().Settings[settings.Table]
	if name == "" {
		answerJSON(w, nil)
		return
	}
	state, err := s.table(r.Context(), name)
	if err != nil {
		refuse(w, http.StatusBadGateway, "ServiceException", "reading the table "+name+": "+err.Error())
		return
	}
	answerJSON(w, state)
}

func (s *Stack) table(ctx context.Context, name string) (*tableState, error) {
	jobs, err := store.New(store.Config{Driver: dynamo.New(s.clients.dynamodb, name), Now: s.config.Now})
	if err != nil {
		return nil, err
	}
	state := &tableState{Jobs: map[lifecycle.State]int{}, Events: []eventState{}, Periodic: []periodicState{}}
	if err := state.scan(ctx, jobs, s.config.Now()); err != nil {
		return nil, err
	}
	refused, err := jobs.RefusedEvents(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range refused {
		state.event(e)
	}
	slices.SortStableFunc(state.Events, func(a, b eventState) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return state, state.listPeriodic(ctx, jobs, s.config.Now)
}

func (t *tableState) scan(ctx context.Context, jobs *store.Jobs, now time.Time) error {
	var next store.Scan
	for range tablePages {
		page, err := jobs.ScanPage(ctx, next)
		if errors.Is(err, store.ErrUnreadable) {
			t.Unreadable = err.Error()
		} else if err != nil {
			return err
		}
		for i := range page.Jobs {
			if !page.Jobs[i].Gone(now) {
				t.Jobs[page.Jobs[i].State]++
			}
		}
		for _, e := range page.Events {
			if e.Refused == nil { // else the index has it
				t.event(e)
			}
		}
		t.Rows += page.Rows
		if next.Start = page.Next; next.Start == nil {
			t.Whole = true
			return nil
		}
	}
	return nil
}

func (t *tableState) event(e store.Event) {
	one := eventState{ID: e.ID, Event: e.Name, Topic: e.Topic, Key: e.Key, State: "waiting", Created: e.Created, Due: e.Due}
	switch {
	case e.Refused != nil:
		one.State, one.Reason = "refused", e.Refused.Message
	case !e.Due.IsZero():
		one.State = "put off"
	}
	t.Events = append(t.Events, one)
}

func (t *tableState) listPeriodic(ctx context.Context, jobs *store.Jobs, now func() time.Time) error {
	desk, err := periodic.NewDesk(jobs, now)
	if err != nil {
		return err
	}
	all, err := desk.List(ctx)
	for _, p := range all {
		t.Periodic = append(t.Periodic, periodicState{Name: p.Name, Expression: p.Expression, Zone: p.Zone, Paused: p.Paused, Last: p.Last, Next: p.Next})
	}
	return err
}
