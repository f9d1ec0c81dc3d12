package main

import (
	"time"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// newFIFOBackstop makes the twin of the backstop that serves FIFO queues: SQS moves
// messages between queues of one kind only.
func (c *crumb) newFIFOBackstop() constructs.Backstop {
	return constructs.NewBackstop(c.stack, "FifoBackstop", constructs.BackstopProps{
		Table: c.table, Function: c.function("backstop", 30*time.Second), FIFO: true,
	})
}

// subscribers are those who hear of recipes: each has a queue and workers of its own,
// and rights on the site's rows.
func (c *crumb) subscribers() {
	c.subscriber(tasks.Search, tasks.SearchHears, "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem")
	c.subscriber(tasks.Feeds, tasks.FeedsHear, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query")
	c.subscriber(tasks.Notices, tasks.NoticesHear, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
	c.subscriber(tasks.Moderation, tasks.ModerationHears, "dynamodb:ConditionCheckItem", "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
}

func (c *crumb) subscriber(q job.Queue, hears tasks.Hearing, actions ...string) {
	function := c.function(q.Name, 0)
	c.mayUse(&function, actions...)
	c.recipes.Subscribe(c.worker(q, function), hears.Events()...)
}
