package imports

import (
	"errors"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// Register adds the routes.
func (d *Desk) Register(routes site.Routes) {
	routes.Reader("POST /api/imports", d.start)
	routes.Reader("GET /api/imports/{id}", d.show)
}

// order says which upload to import.
type order struct {
	Key string `json:"key"`
}

func (d *Desk) start(w http.ResponseWriter, r *http.Request, reader string) error {
	in, err := site.Decode[order](r)
	if err != nil {
		return err
	}
	status, err := d.Start(r.Context(), reader, in.Key)
	switch {
	case errors.Is(err, ErrKey):
		return site.Refuse(http.StatusBadRequest, "wrong-key", "key is not that of an upload: pass on the one that POST /uploads gave")
	case err != nil:
		return err
	}
	w.Header().Set("Location", "/api/imports/"+status.ID)
	w.Header().Set("Retry-After", comeBack)
	return site.Answer(w, http.StatusAccepted, status)
}

// comeBack is after how many seconds it is worth looking again.
const comeBack = "2"

func (d *Desk) show(w http.ResponseWriter, r *http.Request, reader string) error {
	status, err := d.Status(r.Context(), reader, r.PathValue("id"))
	if errors.Is(err, ErrNone) {
		return site.NotFound("there is no such import, or not any more")
	}
	if err != nil {
		return err
	}
	if !status.State.Final() {
		w.Header().Set("Retry-After", comeBack)
	}
	return site.Answer(w, http.StatusOK, status)
}
