package readers

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// API answers requests about accounts.
type API struct {
	readers  *Readers
	sessions *sessions.Sessions
	tries    *Tries
	unread   func(ctx context.Context, reader string) (int, error)
}

// NewAPI makes an API. tries counts tries to sign in; unread counts the notices that a
// reader has not seen, nil where there is no inbox.
func NewAPI(readers *Readers, sessions *sessions.Sessions, tries *Tries, unread func(ctx context.Context, reader string) (int, error)) *API {
	if unread == nil {
		unread = func(context.Context, string) (int, error) { return 0, nil }
	}
	return &API{readers: readers, sessions: sessions, tries: tries, unread: unread}
}

// Register adds the routes.
func (a *API) Register(routes site.Routes) {
	routes.Anyone("POST /api/readers", a.signUp)
	routes.Anyone("POST /api/sessions", a.signIn)
	routes.Anyone("DELETE /api/sessions", a.signOut)
	routes.Reader("GET /api/me", a.me)
	routes.Reader("PUT /api/cooks/{id}/follow", a.follow)
	routes.Reader("DELETE /api/cooks/{id}/follow", a.unfollow)
}

func (a *API) signUp(w http.ResponseWriter, r *http.Request) error {
	newcomer, err := site.Decode[Newcomer](r)
	if err != nil {
		return err
	}
	reader, err := a.readers.SignUp(r.Context(), newcomer)
	if err != nil {
		return Problem(err)
	}
	if err := Welcome(w, r, a.sessions, reader); err != nil {
		return err
	}
	return site.Answer(w, http.StatusCreated, reader)
}

// Credentials are what a reader signs in with.
type Credentials struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

func (a *API) signIn(w http.ResponseWriter, r *http.Request) error {
	in, err := site.Decode[Credentials](r)
	if err != nil {
		return err
	}
	account := accountOf(in.Email)
	browser, _ := a.sessions.Known(r, account)
	if err := a.tries.take(r, account, browser); err != nil {
		return err
	}
	reader, err := a.readers.SignIn(r.Context(), in.Email, in.Password)
	if err != nil {
		return Problem(err)
	}
	if err := Welcome(w, r, a.sessions, reader); err != nil {
		return err
	}
	return site.Answer(w, http.StatusOK, reader)
}

// Welcome signs in a reader who has just proved who they are, where they did: it is a
// browser of theirs from now on.
func Welcome(w http.ResponseWriter, r *http.Request, signed *sessions.Sessions, reader Reader) error {
	if err := Recognise(w, r, signed, reader); err != nil {
		return err
	}
	http.SetCookie(w, signed.Start(r, reader.ID))
	return nil
}

// Recognise makes the browser a request comes from one of the reader's, without signing
// them in.
func Recognise(w http.ResponseWriter, r *http.Request, signed *sessions.Sessions, reader Reader) error {
	cookie, err := signed.Know(r, accountOf(reader.Email))
	if err != nil {
		return fmt.Errorf("readers: a browser's cookie: %w", err)
	}
	http.SetCookie(w, cookie)
	return nil
}

// accountOf is the name under which tries to sign in are counted, for whatever was
// typed as an address.
func accountOf(typed string) string {
	if address, err := Address(typed); err == nil {
		return address
	}
	return typed
}

func (a *API) signOut(w http.ResponseWriter, r *http.Request) error {
	http.SetCookie(w, a.sessions.End(r))
	return site.Done(w)
}

func (a *API) me(w http.ResponseWriter, r *http.Request, id string) error {
	reader, err := a.readers.Get(r.Context(), id)
	if errors.Is(err, ErrNobody) {
		return site.Refuse(http.StatusUnauthorized, "signed-out", "this account is no longer there")
	}
	if err != nil {
		return err
	}
	unread, err := a.unread(r.Context(), id)
	if err != nil {
		return err
	}
	return site.Answer(w, http.StatusOK, Me{Reader: reader, Unread: unread})
}

// Me is what a reader sees of themselves.
type Me struct {
	Reader
	// Unread counts the notices that they have not seen.
	Unread int `json:"unread"`
}

func (a *API) follow(w http.ResponseWriter, r *http.Request, reader string) error {
	in, err := site.Decode[Follow](r)
	if err != nil {
		return err
	}
	if err := a.readers.Follow(r.Context(), reader, r.PathValue("id"), in.Notify); err != nil {
		return Problem(err)
	}
	return site.Done(w)
}

// Follow says what a reader wants to hear of an author.
type Follow struct {
	Notify bool `json:"notify"`
}

func (a *API) unfollow(w http.ResponseWriter, r *http.Request, reader string) error {
	if err := a.readers.Unfollow(r.Context(), reader, r.PathValue("id")); err != nil {
		return err
	}
	return site.Done(w)
}

// Problem says what clients are told of an error of this package; others stay as
// they are.
func Problem(err error) error {
	var bad *BadInput
	switch {
	case errors.As(err, &bad):
		return site.Refuse(http.StatusUnprocessableEntity, "bad-input", bad.Detail)
	case errors.Is(err, ErrTaken):
		return site.Refuse(http.StatusConflict, "address-taken", "there is an account with this e-mail address: sign in, or ask for a new password")
	case errors.Is(err, ErrWrong):
		return site.Refuse(http.StatusUnauthorized, "wrong-credentials", "the e-mail address or the password is wrong")
	case errors.Is(err, ErrSelf):
		return site.Refuse(http.StatusConflict, "own-account", "nobody can follow themselves")
	case errors.Is(err, ErrNobody):
		return site.NotFound("there is no such cook")
	}
	return err
}
