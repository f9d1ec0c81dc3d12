package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// schedules is the function that enqueues periodic jobs, with a schedule for each of
// those that tasks declares.
func (c *crumb) schedules() constructs.PeriodicJobs {
	function := c.function("schedules", time.Minute)
	function.Environment = map[string]*string{settings.Bucket: c.bucket.BucketName()}
	function.Policy = []awsiam.PolicyStatement{c.claims("s3:PutObject")}
	return constructs.NewPeriodicJobs(c.stack, "Schedules", constructs.PeriodicJobsProps{
		Table: c.table, Function: function, Jobs: tasks.Periodic(),
	})
}
