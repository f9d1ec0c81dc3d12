package search

import (
	"errors"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// Register adds GET /api/search.
func (x *Index) Register(routes site.Routes) { routes.Anyone("GET /api/search", x.search) }

// search answers with the recipes that were found, the best first.
func (x *Index) search(w http.ResponseWriter, r *http.Request) error {
	asked := r.URL.Query()
	found, next, err := x.Search(r.Context(), asked.Get("q"), asked.Get("after"))
	var bad *BadQuery
	switch {
	case errors.As(err, &bad):
		return site.Refuse(http.StatusBadRequest, "bad-query", bad.Detail)
	case errors.Is(err, rows.ErrCursor):
		return site.Refuse(http.StatusBadRequest, "wrong-cursor", "after is none of this search's cursors: begin without one")
	case err != nil:
		return err
	}
	return site.Answer(w, http.StatusOK, struct {
		Recipes []Found `json:"recipes"`
		Next    string  `json:"next"`
	}{found, next})
}
