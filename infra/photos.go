package main

import (
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
)

// oneProcessor is the memory at which a function has a whole processor.
const oneProcessor = 1769

// photos is the function that resizes photographs. It keeps a processor busy:
// one photograph at a time, with a whole processor each.
func (c *crumb) photos() constructs.FunctionProps {
	photos := c.function("photos", 0)
	photos.MemoryMiB = oneProcessor
	photos.Policy = append(photos.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*")), "s3:GetObject"),
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("photos/*")), "s3:PutObject"),
	)
	// The job that makes the rest of a degraded photo's sizes is spilled: into a count
	// that has room.
	photos.Policy = append(photos.Policy, constructs.Allow(c.table.TableArn(), "dynamodb:Query"))
	// The block list, and what was made of a photo.
	c.mayUse(&photos, "dynamodb:GetItem", "dynamodb:PutItem")
	return photos
}
