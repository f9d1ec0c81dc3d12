package trending

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// API answers what pages ask about the trending list, views and saves.
type API struct {
	table *rows.Table
	views *Views
	saves *Saves
}

// NewAPI makes an API of the site's table; now is the clock.
func NewAPI(table *rows.Table, now func() time.Time) *API {
	return &API{table: table, views: NewViews(table, now, rand.IntN), saves: NewSaves(table, now, rand.IntN)}
}

// Register adds the routes.
func (a *API) Register(routes site.Routes) {
	routes.Anyone("GET /api/trending", a.list)
	routes.Anyone("POST /api/recipes/{id}/views", a.saw)
	routes.Reader("PUT /api/recipes/{id}/save", a.save)
	routes.Reader("DELETE /api/recipes/{id}/save", a.drop)
}

func (a *API) list(w http.ResponseWriter, r *http.Request) error {
	list, err := Read(r.Context(), a.table)
	if err != nil {
		return err
	}
	if list.Recipes == nil {
		list.Recipes = []Entry{}
	}
	return site.Answer(w, http.StatusOK, list)
}

func (a *API) saw(w http.ResponseWriter, r *http.Request) error {
	id, err := recipeOf(r)
	if err != nil {
		return err
	}
	// The request may end before what others saw is written.
	if err := a.views.Saw(context.WithoutCancel(r.Context()), id); err != nil {
		return err
	}
	return site.Done(w)
}

func (a *API) save(w http.ResponseWriter, r *http.Request, reader string) error {
	id, err := recipeOf(r)
	if err != nil {
		return err
	}
	switch err := a.saves.Save(r.Context(), reader, id); {
	case errors.Is(err, ErrNoRecipe):
		return site.NotFound("there is no such recipe, or not any more")
	case err != nil:
		return err
	}
	return site.Done(w)
}

func (a *API) drop(w http.ResponseWriter, r *http.Request, reader string) error {
	id, err := recipeOf(r)
	if err != nil {
		return err
	}
	if err := a.saves.Drop(r.Context(), reader, id); err != nil {
		return err
	}
	return site.Done(w)
}

// recipeOf reads the recipe's id of the path. What is no id is not counted: it
// would be a row for nothing.
func recipeOf(r *http.Request) (string, error) {
	id, err := job.ParseID(r.PathValue("id"))
	if err != nil {
		return "", site.NotFound("there is no such recipe")
	}
	return string(id), nil
}
