// Command web serves Crumb's page, and leads to photographs.
package main

import (
	"context"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/web"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		photos := objects.New(env.AWS, env.Settings.Required(settings.Bucket))
		if err := env.Err(); err != nil {
			return nil, err
		}
		site, err := web.New(context.Background(), web.Config{Photos: photos})
		if err != nil {
			return nil, err
		}
		return site.Handle, nil
	})
}
