package exports

import (
	"errors"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// Register adds the routes.
func (d *Desk) Register(routes site.Routes) {
	routes.Reader("POST /exports", d.start)
	routes.Reader("GET /exports/{id}", d.show)
	routes.Reader("GET /api/exports", d.showLatest)
	routes.Anyone("GET /exports/{id}/file", d.open)
}

// start answers at once: 202, and where to look.
// https://www.rfc-editor.org/rfc/rfc9110.html#name-202-accepted
func (d *Desk) start(w http.ResponseWriter, r *http.Request, reader string) error {
	status, err := d.Start(r.Context(), reader)
	if err != nil {
		return err
	}
	w.Header().Set("Location", status.StatusURL)
	w.Header().Set("Retry-After", comeBack)
	return site.Answer(w, http.StatusAccepted, status)
}

// comeBack is after how many seconds it is worth looking again.
const comeBack = "3"

func (d *Desk) show(w http.ResponseWriter, r *http.Request, reader string) error {
	status, err := d.Status(r.Context(), reader, r.PathValue("id"))
	return answer(w, r, status, err)
}

func (d *Desk) showLatest(w http.ResponseWriter, r *http.Request, reader string) error {
	status, err := d.Latest(r.Context(), reader)
	return answer(w, r, status, err)
}

// answer shows a status, or says that it is still as the client knows it.
func answer(w http.ResponseWriter, r *http.Request, status Status, err error) error {
	if errors.Is(err, ErrNone) {
		return site.NotFound("there is no such export, or not any more")
	}
	if err != nil {
		return err
	}
	if !status.State.Final() {
		w.Header().Set("Retry-After", comeBack)
	}
	return site.Tagged(w, r, status)
}

// open leads from a link to the archive.
func (d *Desk) open(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	url, err := d.Open(r.Context(), r.PathValue("id"), q.Get("until"), q.Get("signature"))
	if errors.Is(err, ErrNone) {
		return site.NotFound("this link has ended, or was never one: make a new export on your account's page")
	}
	if err != nil {
		return err
	}
	w.Header().Set("Location", url)
	w.WriteHeader(http.StatusFound)
	return nil
}
