// Cancel is the function behind DELETE /jobs/{id}: it cancels a job, or asks a
// running one to stop.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	cancel, err := httpapi.NewCancel(httpapi.JobsConfig{Jobs: env.Jobs(), Logger: env.Logger, Now: env.Now})
	if err != nil {
		return nil, err
	}
	return cancel.Handle, nil
}
