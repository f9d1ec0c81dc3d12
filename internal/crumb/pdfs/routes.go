package pdfs

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// API takes orders for PDFs and leads to them. All fields are required.
type API struct {
	Rows     *rows.Table
	Producer *producer.Producer
	// Gate is that of the queue.
	Gate gates.Gate
	// Size tells whether an object is there, and Presign makes a URL by which
	// anybody may read it for a while.
	Size    func(ctx context.Context, key string) (int64, bool, error)
	Presign func(ctx context.Context, key string, life time.Duration) (string, error)
}

// Register adds the routes.
func (a *API) Register(routes site.Routes) {
	routes.Anyone("POST /api/recipes/{id}/pdf", a.order)
	routes.Anyone("GET /api/recipes/{id}/pdf", a.open)
}

// ordered is the job of a PDF, as its page sees it: the rest is at its URL.
type ordered struct {
	ID        job.ID          `json:"id"`
	State     lifecycle.State `json:"state"`
	StatusURL string          `json:"status_url"`
}

// order enqueues a PDF. Who asks for one that is being made gets the same job.
func (a *API) order(w http.ResponseWriter, r *http.Request) error {
	recipe, err := a.published(r)
	if err != nil {
		return err
	}
	of := tasks.PrintRecipe{Recipe: recipe.ID, Version: recipe.Version}
	var rec store.Record
	err = gates.Pass(r.Context(), a.Gate, tasks.Print, func(admitted []job.Option) (err error) {
		rec, _, err = a.Producer.Make(r.Context(), tasks.Print.With(of), append(admitted, job.Unique(of.Key()))...)
		return err
	})
	if err != nil {
		return err
	}
	url := "/jobs/" + string(rec.ID)
	w.Header().Set("Location", url)
	w.Header().Set("Retry-After", "1")
	return site.Answer(w, http.StatusAccepted, ordered{ID: rec.ID, State: rec.State, StatusURL: url})
}

// downloadLife is how long the bucket's own URL works.
const downloadLife = 5 * time.Minute

// open leads to the PDF of a version of a recipe, if that was made.
func (a *API) open(w http.ResponseWriter, r *http.Request) error {
	recipe, err := a.published(r)
	if err != nil {
		return err
	}
	version := recipe.Version
	if asked := r.URL.Query().Get("version"); asked != "" {
		if version, err = strconv.Atoi(asked); err != nil || version < 1 {
			return site.NotFound("version is a number from 1")
		}
	}
	key := Key(recipe.ID, version)
	_, there, err := a.Size(r.Context(), key)
	if err != nil {
		return err
	}
	if !there {
		return site.NotFound("this PDF was not made yet, or is too old: ask for it again")
	}
	url, err := a.Presign(r.Context(), key, downloadLife)
	if err != nil {
		return err
	}
	w.Header().Set("Location", url)
	w.WriteHeader(http.StatusFound)
	return nil
}

func (a *API) published(r *http.Request) (recipes.Recipe, error) {
	recipe, ok, err := rows.Get[recipes.Recipe](r.Context(), a.Rows, recipes.Key(r.PathValue("id")))
	if err == nil && (!ok || recipe.State != recipes.Published) {
		err = site.NotFound("there is no such recipe, or it is not published")
	}
	return recipe, err
}
