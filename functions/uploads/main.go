// Uploads is the function behind POST /uploads: it says where to put a
// photo or a film.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	admit, err := env.Gates(tasks.Resize, tasks.Transcode, tasks.SplitImport)
	if err != nil {
		return nil, err
	}
	limit, err := env.RateLimit(nil)
	if err != nil {
		return nil, err
	}
	uploads, err := httpapi.NewUploads(httpapi.UploadsConfig{
		Presigner: env.Bucket(),
		Gate:      admit[tasks.Photos.Name],
		Limit:     limit,
		Accept:    accepted(admit[tasks.Videos.Name], admit[tasks.Imports.Name]),
		Logger:    env.Logger,
		Now:       env.Now,
	})
	if err != nil {
		return nil, err
	}
	return uploads.Handle, nil
}

// accepted are images, the films that can be read, and files of recipes.
func accepted(films, recipes *admission.Gate) []httpapi.Accepted {
	all := []httpapi.Accepted{{Type: httpapi.Images}}
	for _, t := range tasks.FilmTypes() {
		all = append(all, httpapi.Accepted{Type: t, MostBytes: tasks.MostFilmBytes, Gate: films})
	}
	for _, t := range tasks.ImportTypes() {
		all = append(all, httpapi.Accepted{Type: t, MostBytes: tasks.MostImportBytes, Gate: recipes})
	}
	return all
}
