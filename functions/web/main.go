// Command web serves Crumb's page, and leads to photographs.
package main

import (
	"context"

	"github.com/nightshift-go/nightshift/internal/crumb/web"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		photos := env.Bucket()
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
