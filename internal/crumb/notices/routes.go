package notices

import (
	"errors"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// Register adds GET /api/inbox and POST /api/inbox/read.
func (n *Notices) Register(routes site.Routes) {
	routes.Reader("GET /api/inbox", n.list)
	routes.Reader("POST /api/inbox/read", n.markRead)
}

// list answers with a reader's notices, the newest first.
func (n *Notices) list(w http.ResponseWriter, r *http.Request, reader string) error {
	list, next, err := n.List(r.Context(), reader, r.URL.Query().Get("after"))
	if errors.Is(err, rows.ErrCursor) {
		return site.Refuse(http.StatusBadRequest, "wrong-cursor", "after is none of this list's cursors: begin without one")
	}
	if err != nil {
		return err
	}
	return site.Answer(w, http.StatusOK, struct {
		Notices []Notice `json:"notices"`
		Next    string   `json:"next"`
	}{list, next})
}

// markRead takes note that the reader has read everything.
func (n *Notices) markRead(w http.ResponseWriter, r *http.Request, reader string) error {
	if err := n.MarkRead(r.Context(), reader); err != nil {
		return err
	}
	return site.Done(w)
}
