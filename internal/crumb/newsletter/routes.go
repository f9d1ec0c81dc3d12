package newsletter

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// Where a token unsubscribes.
const (
	// UnsubscribePath is for mail programs, which POST.
	UnsubscribePath = "/api/newsletter/unsubscribe"
	// UnsubscribePage is for people: it asks first.
	UnsubscribePage = "/newsletter/unsubscribe"
)

// API answers requests about the newsletter.
type API struct {
	table  *rows.Table
	tokens *Tokens
}

// NewAPI makes an API.
func NewAPI(table *rows.Table, tokens *Tokens) *API { return &API{table, tokens} }

// Register adds the routes.
func (a *API) Register(routes site.Routes) {
	routes.Reader("PUT /api/me/newsletter", a.set)
	routes.Anyone("GET "+UnsubscribePath, a.ask)
	routes.Anyone("POST "+UnsubscribePath, a.unsubscribe)
}

// Wish says whether a reader wants the newsletter.
type Wish struct {
	On bool `json:"on"`
}

func (a *API) set(w http.ResponseWriter, r *http.Request, reader string) error {
	wish, err := site.Decode[Wish](r)
	if err != nil {
		return err
	}
	change := Unsubscribe
	if wish.On {
		change = Subscribe
	}
	if err := change(r.Context(), a.table, reader); err != nil {
		return problem(err)
	}
	return site.Done(w)
}

// ask leads to the page that asks. Following the link changes nothing: programs that
// fetch the links of mails in advance unsubscribe nobody.
func (a *API) ask(w http.ResponseWriter, r *http.Request) error {
	token := r.URL.Query().Get("token")
	if _, err := a.reader(token); err != nil {
		return err
	}
	w.Header().Set("Location", page(token))
	w.WriteHeader(http.StatusSeeOther)
	return nil
}

// page is the address of the page for a token.
func page(token string) string { return UnsubscribePage + "?" + url.Values{"token": {token}}.Encode() }

// unsubscribe ends the subscription of the token's reader, who needs no cookie and is
// asked nothing: mail programs send this request by themselves, and it is answered
// where it was sent. Twice is once.
// https://www.rfc-editor.org/rfc/rfc8058#section-3.2
func (a *API) unsubscribe(w http.ResponseWriter, r *http.Request) error {
	reader, err := a.reader(r.URL.Query().Get("token"))
	if err != nil {
		return err
	}
	// A reader who is gone gets no newsletter either.
	if err := Unsubscribe(r.Context(), a.table, reader); err != nil && !errors.Is(err, ErrNobody) {
		return err
	}
	return site.Answer(w, http.StatusOK, Wish{On: false})
}

func (a *API) reader(token string) (string, error) {
	reader, ok := a.tokens.Reader(token)
	if !ok {
		return "", site.Refuse(http.StatusNotFound, "bad-token", "this link is incomplete: use the whole one at the end of the newsletter, or your account's page")
	}
	return reader, nil
}

func problem(err error) error {
	switch {
	case errors.Is(err, ErrBounced):
		return site.Refuse(http.StatusConflict, "address-bounced", "mail to your address came back: there is no newsletter until you have another one")
	case errors.Is(err, ErrNobody):
		return site.Refuse(http.StatusUnauthorized, "signed-out", "this account is no longer there")
	}
	return err
}
