package resets

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

// API answers requests for new passwords. All its fields are required.
type API struct {
	Table    *rows.Table
	Readers  *readers.Readers
	Producer *producer.Producer
	Outbox   *outbox.Outbox
	Sessions *sessions.Sessions
	Now      func() time.Time
}

// Register adds the routes.
func (a *API) Register(routes site.Routes) {
	routes.Anyone("POST /api/password-resets", a.ask)
	routes.Anyone("POST /api/password-resets/{token}", a.reset)
}

// Forgotten names the account by its address.
type Forgotten struct {
	Email string `json:"email"`
}

// ask enqueues the mail. It does the same for every address, and reads no reader.
func (a *API) ask(w http.ResponseWriter, r *http.Request) error {
	in, err := site.Decode[Forgotten](r)
	if err != nil {
		return err
	}
	address, err := readers.Address(in.Email)
	if err != nil {
		return readers.Problem(err)
	}
	request := tasks.SendReset.With(tasks.ResetPassword{Email: address})
	if _, err := a.Producer.Enqueue(r.Context(), request, job.Unique(address)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusAccepted)
	return nil
}

// NewPassword is what a reader chose.
type NewPassword struct {
	Password string `json:"password"`
}

func (a *API) reset(w http.ResponseWriter, r *http.Request) error {
	in, err := site.Decode[NewPassword](r)
	if err != nil {
		return err
	}
	reader, err := a.use(r.Context(), r.PathValue("token"), in.Password)
	if err != nil {
		return readers.Problem(err)
	}
	// Whoever has the mail is the owner: tries of strangers are nothing to them.
	if err := readers.Recognise(w, r, a.Sessions, reader); err != nil {
		return err
	}
	return site.Done(w)
}

// use takes the token away, sets the password and enqueues the mail that tells of it,
// in one transaction: a token is used once.
func (a *API) use(ctx context.Context, token, password string) (reader readers.Reader, err error) {
	row, ok, err := rows.Get[grant](ctx, a.Table, grantKey(token))
	if err != nil {
		return reader, err
	}
	now := a.Now().UnixMilli()
	if !ok || row.ExpiresMS <= now {
		return reader, errOver()
	}
	reader, err = a.Readers.Get(ctx, row.Reader)
	if err != nil {
		return reader, err
	}
	// Key: the token's row. Condition: it is there, in its hour. A lost race means
	// that somebody else used it.
	changes := a.Table.Change().Delete(grantKey(token), "#expires_ms > :now", rows.Values{":now": now})
	if changes, err = a.Readers.ChangePassword(ctx, changes, reader.ID, password); err != nil {
		return reader, err
	}
	writes, err := changes.Writes()
	if err != nil {
		return reader, err
	}
	actions := []outbox.Action{outbox.Enqueue(tasks.SendUrgent.With(tasks.PasswordChanged{Name: reader.Name}.To(reader.ID)))}
	for _, write := range writes {
		actions = append(actions, outbox.Write(write))
	}
	if err := a.Outbox.Transact(ctx, actions...); errors.Is(err, rows.ErrCondition) {
		return reader, errOver()
	} else if err != nil {
		return reader, err
	}
	return reader, nil
}

func errOver() error {
	return site.Refuse(http.StatusGone, "reset-over", "this link was used, or its hour is over: ask for another")
}
