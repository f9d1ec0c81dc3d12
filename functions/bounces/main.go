// Command bounces takes what SES tells of mails: addresses that take none, readers
// who complain. Its queue has no jobs in it, but SES's own events.
package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
)

func main() {
	wire.Start(func(env *wire.Env) (any, error) {
		return newsletter.NewFeedback(env.Rows(), env.Logger).Handle, nil
	})
}
