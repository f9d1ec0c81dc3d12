package reminders

import (
	"errors"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// Register adds the routes.
func (r *Reminders) Register(routes site.Routes) {
	routes.Reader("POST /api/recipes/{id}/reminders", r.add)
	routes.Reader("GET /api/reminders", r.list)
	routes.Reader("PUT /api/reminders/{id}", r.move)
	routes.Reader("DELETE /api/reminders/{id}", r.cancel)
}

// when says when to remind: in so many days, or at a time.
type when struct {
	Days int       `json:"days,omitempty"`
	At   time.Time `json:"at,omitzero"`
}

// time gives the time that is meant.
func (w when) time(now time.Time) (time.Time, error) {
	switch {
	case w.At.IsZero() == (w.Days == 0):
		return time.Time{}, refuse("say either days or at")
	case w.Days < 0 || w.Days > 366:
		return time.Time{}, refuse("days is 1 to 366")
	case w.Days > 0:
		return now.AddDate(0, 0, w.Days), nil
	}
	return w.At, nil
}

func refuse(detail string) error {
	return site.Refuse(http.StatusBadRequest, "wrong-time", detail)
}

func (r *Reminders) add(w http.ResponseWriter, q *http.Request, reader string) error {
	at, err := r.asked(q)
	if err != nil {
		return err
	}
	reminder, err := r.Add(q.Context(), reader, q.PathValue("id"), at)
	if err != nil {
		return problemOf(err)
	}
	w.Header().Set("Location", "/api/reminders/"+reminder.ID)
	return site.Answer(w, http.StatusAccepted, reminder)
}

// asked reads for when a reminder is wanted.
func (r *Reminders) asked(q *http.Request) (time.Time, error) {
	body, err := site.Decode[when](q)
	if err != nil {
		return time.Time{}, err
	}
	return body.time(r.Now())
}

func (r *Reminders) list(w http.ResponseWriter, q *http.Request, reader string) error {
	list, err := r.List(q.Context(), reader)
	if err != nil {
		return err
	}
	return site.Answer(w, http.StatusOK, map[string][]Reminder{"reminders": list})
}

func (r *Reminders) move(w http.ResponseWriter, q *http.Request, reader string) error {
	id, err := idOf(q)
	if err != nil {
		return err
	}
	at, err := r.asked(q)
	if err != nil {
		return err
	}
	if err := r.Move(q.Context(), reader, id, at); err != nil {
		return problemOf(err)
	}
	return site.Done(w)
}

func (r *Reminders) cancel(w http.ResponseWriter, q *http.Request, reader string) error {
	id, err := idOf(q)
	if err != nil {
		return err
	}
	if err := r.Cancel(q.Context(), reader, id); err != nil {
		return problemOf(err)
	}
	return site.Done(w)
}

func idOf(q *http.Request) (job.ID, error) {
	id, err := job.ParseID(q.PathValue("id"))
	if err != nil {
		return "", problemOf(ErrNone)
	}
	return id, nil
}

// problemOf says what went wrong to the reader, where it is the reader's to mend.
func problemOf(err error) error {
	switch {
	case errors.Is(err, ErrNone):
		return site.NotFound("there is no such reminder, or it is over")
	case errors.Is(err, ErrNoRecipe):
		return site.NotFound("there is no such recipe")
	case errors.Is(err, ErrTime):
		return refuse("a reminder is for a time from now on, within a year")
	case errors.Is(err, ErrTooMany):
		return site.Refuse(http.StatusConflict, "too-many", "you have as many reminders as there can be: cancel one first")
	}
	return err
}
