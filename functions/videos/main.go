// Command videos is the worker of Crumb's films: no function but a process that
// polls its queue, because a film may take longer than a function lives. The
// Dockerfile beside it makes it a container.
package main

import (
	// The image has no root certificates of its own.
	_ "golang.org/x/crypto/x509roots/fallback"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/videos"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func main() {
	wire.Poll(tasks.Videos, func(env *wire.Env) (*worker.Worker, error) {
		films := videos.New(env.Bucket(), env.Now)
		return env.Worker(tasks.Videos, worker.HandleResult(tasks.Transcode, films.Transcode))
	})
}
