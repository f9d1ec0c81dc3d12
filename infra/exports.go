package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/exports"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// The prefixes of what is made to be downloaded.
const (
	exportsPrefix = "exports/"
	pdfsPrefix    = "pdfs/"
)

// exports is the worker that collects readers' data. It holds a part of an archive,
// and a page of photographs, in memory.
func (c *crumb) exports() constructs.WorkerQueue {
	function := c.function("exports", 0)
	function.MemoryMiB = 512
	c.mayUse(&function, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
	function.Environment[settings.Secret] = constructs.SecretReference(c.secret)
	archives := c.bucket.ArnForObjects(jsii.String(exportsPrefix + "*"))
	function.Policy = append(function.Policy,
		constructs.Allow(archives, "s3:GetObject", "s3:ListMultipartUploadParts", "s3:PutObject"),
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("photos/*")), "s3:GetObject"),
	)
	// S3 reckons from when an upload in parts was begun: without a day more an archive
	// could go before its link.
	c.expire("exports", exportsPrefix, exports.Life.Hours()/24+1)
	return c.worker(tasks.Exports, function)
}

// pdfs is the worker that makes recipes printable. It keeps a processor busy.
func (c *crumb) pdfs() constructs.WorkerQueue {
	function := c.function("pdfs", 0)
	function.MemoryMiB = oneProcessor
	c.mayUse(&function, "dynamodb:GetItem")
	function.Policy = append(function.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("photos/*")), "s3:GetObject"),
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(pdfsPrefix+"*")), "s3:PutObject"),
	)
	c.expire("pdfs", pdfsPrefix, 30)
	return c.worker(tasks.PDFs, function)
}

// expire lets what is made to be downloaded go after some days.
func (c *crumb) expire(id, prefix string, days float64) {
	c.bucket.AddLifecycleRule(&awss3.LifecycleRule{
		Id: jsii.String(id), Prefix: jsii.String(prefix), Expiration: awscdk.Duration_Days(jsii.Number(days)),
	})
}

// reminders is the worker that reminds people when the time has come.
func (c *crumb) reminders() {
	function := c.function("reminders", 0)
	c.mayUse(&function, "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem")
	c.worker(tasks.Reminders, function)
}
