package main

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// videos is the queue of uploaded films and the service that works on them, whose
// jobs may take longer than a function lives. They take up where they stopped, which
// makes them fit for spare capacity.
func (c *crumb) videos() constructs.PolledQueue {
	queue := constructs.NewPolledQueue(c.stack, constructs.ID(tasks.Videos.Name), constructs.PolledQueueProps{
		Queue: tasks.Videos, Tasks: tasks.Defined(), Backstop: c.backstop, AlarmActions: c.alarmActions(),
	})
	c.relay.Publish(queue)
	c.sweep.Watch(queue)
	c.queues = append(c.queues, queue)
	if c.options.NoVideos {
		awscdk.Annotations_Of(queue.Queue).AddInfo(jsii.String("nobody polls this queue (no-videos): " +
			"its jobs wait for functions/videos to run elsewhere"))
		return queue
	}
	constructs.NewService(c.stack, "VideosService", constructs.ServiceProps{
		Queue: queue, Name: tasks.Videos.Name, Assets: c.options.Assets, Spot: true, LogLevel: "info",
		Environment: map[string]*string{
			settings.Table:  c.table.TableName(),
			settings.Bucket: c.bucket.BucketName(),
		},
		Policy: append(c.workersRights(),
			// Uploads are read, and what is done of them so far is kept beside them.
			constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*")), "s3:GetObject"),
			constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*/segments/*")), "s3:PutObject"),
			constructs.Allow(c.bucket.ArnForObjects(jsii.String("videos/*")), "s3:PutObject"),
		),
	})
	return queue
}
