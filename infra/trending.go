package main

import (
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// trending is the worker that works out the trending list.
func (c *crumb) trending() {
	function := c.function("trending", 0)
	c.mayUse(&function, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query")
	c.worker(tasks.Trending, function)
}
