package main

import (
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// imports is the worker that brings recipes in by the file, which it holds in memory.
func (c *crumb) imports() constructs.WorkerQueue {
	function := c.function("imports", 0)
	function.MemoryMiB = 512
	c.mayUse(&function, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
	function.Policy = append(function.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*")), "s3:GetObject"))
	return c.worker(tasks.Imports, function)
}
