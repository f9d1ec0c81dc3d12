// Status is the function behind GET /jobs/{id}: it tells how a job stands.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
)

func main() { wire.Start(handler) }

func handler(env *wire.Env) (any, error) {
	status, err := httpapi.NewStatus(httpapi.JobsConfig{Jobs: env.Jobs(), Objects: env.Objects(), Logger: env.Logger, Now: env.Now})
	if err != nil {
		return nil, err
	}
	return status.Handle, nil
}
