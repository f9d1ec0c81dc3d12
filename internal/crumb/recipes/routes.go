package recipes

import (
	"errors"
	"net/http"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
)

// API answers requests about recipes.
type API struct {
	recipes  *Recipes
	sessions *sessions.Sessions
}

// NewAPI makes an API. sessions tell who looks at what everybody may see.
func NewAPI(recipes *Recipes, sessions *sessions.Sessions) *API {
	return &API{recipes: recipes, sessions: sessions}
}

// Register adds the routes.
func (a *API) Register(routes site.Routes) {
	routes.Anyone("GET /api/recipes", a.recent)
	routes.Anyone("GET /api/recipes/{id}", a.view)
	routes.Anyone("GET /api/cooks/{id}", a.profile)
	routes.Reader("GET /api/me/recipes", a.unpublished)
	routes.Reader("POST /api/recipes", a.draft)
	routes.Reader("PUT /api/recipes/{id}", a.edit)
	routes.Reader("DELETE /api/recipes/{id}", a.delete)
	routes.Reader("POST /api/recipes/{id}/publish", a.publish)
	routes.Reader("PUT /api/recipes/{id}/rating", a.rate)
}

// looker is who looks; "" is somebody who is not signed in.
func (a *API) looker(r *http.Request) string {
	reader, _ := a.sessions.Reader(r)
	return reader
}

func (a *API) recent(w http.ResponseWriter, r *http.Request) error {
	cards, err := a.recipes.Recent(r.Context(), r.URL.Query().Get("after"))
	return answer(w, http.StatusOK, cards, err)
}

func (a *API) view(w http.ResponseWriter, r *http.Request) error {
	view, err := a.recipes.View(r.Context(), a.looker(r), r.PathValue("id"))
	return answer(w, http.StatusOK, view, err)
}

func (a *API) profile(w http.ResponseWriter, r *http.Request) error {
	profile, err := a.recipes.Profile(r.Context(), a.looker(r), r.PathValue("id"), r.URL.Query().Get("after"))
	return answer(w, http.StatusOK, profile, err)
}

// unpublished lists the reader's own drafts and held recipes.
func (a *API) unpublished(w http.ResponseWriter, r *http.Request, reader string) error {
	cards, err := a.recipes.Unpublished(r.Context(), reader, r.URL.Query().Get("after"))
	return answer(w, http.StatusOK, cards, err)
}

func (a *API) draft(w http.ResponseWriter, r *http.Request, reader string) error {
	in, err := site.Decode[Written](r)
	if err != nil {
		return err
	}
	in.Key = r.Header.Get("Idempotency-Key")
	recipe, err := a.recipes.Draft(r.Context(), reader, in)
	return answer(w, http.StatusCreated, recipe, err)
}

// An Edited is a change that an author sends: what they wrote, and from which
// version.
type Edited struct {
	Version int `json:"version"`
	Written
}

func (a *API) edit(w http.ResponseWriter, r *http.Request, reader string) error {
	in, err := site.Decode[Edited](r)
	if err != nil {
		return err
	}
	recipe, err := a.recipes.Edit(r.Context(), reader, r.PathValue("id"), in.Version, in.Written)
	return answer(w, http.StatusOK, recipe, err)
}

// A Publication is the answer to its author: the recipe is there, and what follows
// is under way.
type Publication struct {
	Recipe   Recipe   `json:"recipe"`
	Progress Progress `json:"progress"`
}

func (a *API) publish(w http.ResponseWriter, r *http.Request, reader string) error {
	recipe, err := a.recipes.Publish(r.Context(), reader, r.PathValue("id"))
	if err != nil {
		return Problem(err)
	}
	progress, err := ProgressOf(r.Context(), a.recipes.Table, recipe)
	w.Header().Set("Location", "/api/recipes/"+recipe.ID)
	return answer(w, http.StatusAccepted, Publication{Recipe: recipe, Progress: progress}, err)
}

func (a *API) delete(w http.ResponseWriter, r *http.Request, reader string) error {
	if err := a.recipes.Delete(r.Context(), reader, r.PathValue("id")); err != nil {
		return Problem(err)
	}
	return site.Done(w)
}

// Stars is a vote that a reader sends.
type Stars struct {
	Stars int `json:"stars"`
}

func (a *API) rate(w http.ResponseWriter, r *http.Request, reader string) error {
	in, err := site.Decode[Stars](r)
	if err != nil {
		return err
	}
	rating, err := a.recipes.Rate(r.Context(), reader, r.PathValue("id"), in.Stars)
	return answer(w, http.StatusOK, rating, err)
}

func answer[T any](w http.ResponseWriter, status int, value T, err error) error {
	if err != nil {
		return Problem(err)
	}
	return site.Answer(w, status, value)
}

// Problem says what clients are told of an error of this package; others stay as
// they are.
func Problem(err error) error {
	var (
		wrong    *BadContent
		conflict *ConflictError
	)
	switch {
	case errors.As(err, &wrong):
		return site.Refuse(http.StatusUnprocessableEntity, "bad-recipe", wrong.Detail)
	case errors.As(err, &conflict):
		p := site.Refuse(http.StatusConflict, "changed-meanwhile", "the recipe was changed meanwhile: look at it as it is now, and change that")
		p.Extensions = map[string]any{"current": conflict.Current}
		return p
	case errors.Is(err, ErrNotFound):
		return site.NotFound("there is no such recipe")
	case errors.Is(err, ErrNotYours):
		return site.Refuse(http.StatusForbidden, "not-yours", "only its author may change a recipe")
	case errors.Is(err, ErrHeld):
		return site.Refuse(http.StatusConflict, "held", "the recipe was found to be advertising; it is shown to nobody but you until that is mended")
	case errors.Is(err, ErrBusy):
		return site.Busy()
	case errors.Is(err, rows.ErrCursor):
		return site.Refuse(http.StatusBadRequest, "bad-cursor", "after is not the next of a page of this list")
	}
	return readers.Problem(err)
}
