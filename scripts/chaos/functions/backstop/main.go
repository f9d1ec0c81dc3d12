// Command backstop heals what SQS moved away of the chaos's messages.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/sweep"
	"github.com/nightshift-go/nightshift/scripts/chaos/work"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		b, err := sweep.NewBackstop(sweep.BackstopConfig{
			Jobs: env.Jobs(), Queue: env.Queue(), Beside: env.Addresses(work.Quick)[work.Quick.Name], Logger: env.Logger,
		})
		if err != nil {
			return nil, err
		}
		return b.Handle, nil
	})
}
