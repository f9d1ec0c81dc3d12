// Uploads is the function behind POST /uploads: it says where to put a photo.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/gates"
	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	url := func(queue string) string { return env.Settings.Required(settings.QueueURL(queue)) }
	admit, err := gates.New(env.Queue(), url, tasks.Resize)
	if err != nil {
		return nil, err
	}
	uploads, err := httpapi.NewUploads(httpapi.UploadsConfig{
		Presigner: objects.New(env.AWS, env.Settings.Required(settings.Bucket)),
		Gate:      admit[tasks.Photos.Name],
		Logger:    env.Logger,
		Now:       env.Now,
	})
	if err != nil {
		return nil, err
	}
	return uploads.Handle, nil
}
