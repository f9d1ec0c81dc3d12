package main

import (
	"slices"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// api is the HTTP API with a function behind each route.
func (c *crumb) api() constructs.Api {
	api := constructs.NewApi(c.stack, "Api", constructs.ApiProps{AlarmActions: c.alarmActions()})
	c.linkMails(api)

	const get, post, del = awsapigatewayv2.HttpMethod_GET, awsapigatewayv2.HttpMethod_POST, awsapigatewayv2.HttpMethod_DELETE
	api.Route("Enqueue", post, "/jobs/{task}", c.enqueueFunction())
	api.Route("Status", get, "/jobs/{id}", c.statusFunction())
	api.Route("Cancel", del, "/jobs/{id}", c.cancelFunction())
	api.Route("Uploads", post, "/uploads", c.uploadsFunction())
	pages := c.webFunction()
	api.Route("Page", get, "/", pages)
	api.Route("Site", get, "/{proxy+}", pages)
	c.siteFunction(api)

	awscdk.NewCfnOutput(c.stack, jsii.String("Url"), &awscdk.CfnOutputProps{
		Description: jsii.String("Where Crumb is."),
		Value:       api.Stage.Url(),
	})
	return api
}

// enqueueFunction accepts jobs of public tasks.
func (c *crumb) enqueueFunction() awslambda.Function {
	enqueue := c.function("enqueue", 10*time.Second)
	enqueue.ReservedConcurrency = c.reserve(60)
	enqueue.Environment = map[string]*string{
		settings.Table:  c.table.TableName(),
		settings.Bucket: c.bucket.BucketName(),
		settings.Secret: constructs.SecretReference(c.secret),
	}
	c.gates(&enqueue, slices.DeleteFunc(slices.Clone(c.queues), func(queue constructs.JobQueue) bool {
		return !isPublic(queue.Parts().Plan.Queue)
	}))
	enqueue.Policy = append(enqueue.Policy,
		// Query finds a count with room, where a queue's limit is exact.
		constructs.Allow(c.table.TableArn(), "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"), c.claims("s3:PutObject"))
	return c.add("EnqueueFunction", enqueue)
}

// statusFunction tells how a job stands.
func (c *crumb) statusFunction() awslambda.Function {
	status := c.function("status", 10*time.Second)
	status.ReservedConcurrency = c.reserve(60)
	status.Environment = map[string]*string{settings.Table: c.table.TableName(), settings.Bucket: c.bucket.BucketName()}
	status.Policy = append(status.Policy, constructs.Allow(c.table.TableArn(), "dynamodb:GetItem"), c.claims("s3:GetObject"),
		// Without it S3 answers for a missing result that access is denied.
		constructs.Allow(c.bucket.BucketArn(), "s3:ListBucket"))
	return c.add("StatusFunction", status)
}

// cancelFunction cancels jobs.
func (c *crumb) cancelFunction() awslambda.Function {
	cancel := c.function("cancel", 10*time.Second)
	cancel.ReservedConcurrency = c.reserve(20)
	cancel.Environment = map[string]*string{settings.Table: c.table.TableName()}
	cancel.Policy = append(cancel.Policy,
		constructs.Allow(c.table.TableArn(), "dynamodb:GetItem", "dynamodb:UpdateItem"), constructs.AllowFollowUps(c.table.TableArn()))
	return c.add("CancelFunction", cancel)
}

// uploadsFunction says where to put what jobs will work on.
func (c *crumb) uploadsFunction() awslambda.Function {
	uploads := c.function("uploads", 10*time.Second)
	uploads.ReservedConcurrency = c.reserve(40)
	uploads.Environment = map[string]*string{settings.Bucket: c.bucket.BucketName()}
	c.gates(&uploads, c.uploaded)
	uploads.Policy = append(uploads.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*")), "s3:PutObject"))
	return c.add("UploadsFunction", uploads)
}

// webFunction serves the pages, and leads to pictures and films.
func (c *crumb) webFunction() awslambda.Function {
	web := c.function("web", 10*time.Second)
	web.ReservedConcurrency = c.reserve(40)
	web.Environment = map[string]*string{settings.Bucket: c.bucket.BucketName()}
	web.Policy = append(web.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("photos/*")), "s3:GetObject"),
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("videos/*")), "s3:GetObject"))
	return c.add("WebFunction", web)
}

// gates lets a function refuse work for these queues when they are full.
func (c *crumb) gates(function *constructs.FunctionProps, queues []constructs.JobQueue) {
	constructs.AddGates(function, constructs.GateProps{Table: c.table, Queues: queues})
}

// isPublic tells whether anyone may enqueue jobs of the queue.
func isPublic(q job.Queue) bool {
	return slices.ContainsFunc(tasks.Public(), func(task job.Defined) bool {
		return task.Definition().Policy.Queue.Name == q.Name
	})
}
