// Command relay publishes the chaos's jobs.
package main

import (
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/relay"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		r, err := relay.New(relay.Config{
			Jobs: env.Jobs(), Queue: env.Queue(), Addresses: env.Addresses(work.Queues()...),
			SetAside: 2 * time.Second, Logger: env.Logger,
		})
		if err != nil {
			return nil, err
		}
		return r.Handle, nil
	})
}
