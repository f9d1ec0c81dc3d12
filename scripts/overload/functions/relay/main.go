// Command relay publishes the overload's jobs.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/scripts/overload/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		r, err := relay.New(relay.Config{
			Jobs: env.Jobs(), Queue: env.Queue(), Addresses: env.Addresses(work.Queues()...), Logger: env.Logger,
		})
		if err != nil {
			return nil, err
		}
		return r.Handle, nil
	})
}
