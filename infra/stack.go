package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// stackName is the name of the CloudFormation stack.
const stackName = "Crumb"

// oneProcessor is the memory at which a function has a whole processor.
const oneProcessor = 1769

// options are what a deployment may choose, by `cdk deploy -c name=value`.
type options struct {
	// Assets is the folder of the built functions.
	Assets string
	// AlarmTopic is the ARN of an SNS topic that every alarm notifies
	// (context alarm-topic). Empty: alarms only show in CloudWatch.
	AlarmTopic string
	// NoReservations leaves out reserved concurrency (context
	// no-reservations=true). A new account's quota may be too small for it:
	// Lambda wants 100 environments left unreserved.
	NoReservations bool
}

// A crumb is the stack of the recipe site while it is being put together.
type crumb struct {
	stack    awscdk.Stack
	options  options
	table    awsdynamodb.Table
	bucket   awss3.Bucket
	backstop constructs.Backstop
	relay    constructs.Relay
	sweep    constructs.Sweep
	queues   []constructs.WorkerQueue
}

// newCrumb declares everything that Crumb needs in AWS.
func newCrumb(scope awscdk.App, options options) awscdk.Stack {
	stack := awscdk.NewStack(scope, jsii.String(stackName), &awscdk.StackProps{
		Description: jsii.String("Crumb, a recipe-sharing site: its background work by Nightshift."),
	})
	c := &crumb{stack: stack, options: options}
	c.table = constructs.NewJobsTable(stack, "JobsTable")
	c.bucket = constructs.NewObjectsBucket(stack, "ObjectsBucket")

	c.backstop = constructs.NewBackstop(stack, "Backstop", constructs.BackstopProps{
		Table: c.table, Function: c.function("backstop", 30*time.Second),
	})
	relay := c.function("relay", 30*time.Second)
	relay.ReservedConcurrency = c.reserve(20)
	c.relay = constructs.NewRelay(stack, "Relay", constructs.RelayProps{
		Table: c.table, Bucket: c.bucket, Function: relay,
	})
	c.sweep = constructs.NewSweep(stack, "Sweep", constructs.SweepProps{
		Table: c.table, Bucket: c.bucket, Function: c.function("sweep", 50*time.Second),
	})
	photos := c.worker(tasks.Photos, c.photos())
	c.api(photos)

	constructs.ReadableIDs(stack)
	return stack
}

// function are the settings that all functions of the stack share. A timeout of
// zero is the construct's own.
func (c *crumb) function(name string, timeout time.Duration) constructs.FunctionProps {
	return constructs.FunctionProps{
		Name:         name,
		Assets:       c.options.Assets,
		Timeout:      timeout,
		LogLevel:     "info",
		AlarmActions: c.alarmActions(),
	}
}

// worker is a queue with its workers, whose program is in functions/ under the
// queue's name.
func (c *crumb) worker(q job.Queue, function constructs.FunctionProps) constructs.WorkerQueue {
	if function.Environment == nil {
		function.Environment = map[string]*string{}
	}
	function.Environment[settings.Table] = c.table.TableName()
	function.Environment[settings.Bucket] = c.bucket.BucketName()
	function.Policy = append([]awsiam.PolicyStatement{
		constructs.Allow(c.table.TableArn(),
			"dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"),
		c.claims("s3:GetObject", "s3:PutObject"),
		// Without it S3 answers for a missing object that access is denied.
		constructs.Allow(c.bucket.BucketArn(), "s3:ListBucket"),
	}, function.Policy...)
	made := constructs.NewWorkerQueue(c.stack, constructs.ID(q.Name), constructs.WorkerQueueProps{
		Queue: q, Tasks: tasks.Defined(), Function: function, Backstop: c.backstop,
	})
	c.relay.Publish(made)
	c.sweep.Watch(made)
	c.queues = append(c.queues, made)
	return made
}

// claims is a right on the arguments and results that are too large for a row.
func (c *crumb) claims(actions ...string) awsiam.PolicyStatement {
	return constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.ClaimsPrefix+"*")), actions...)
}

// photos is the function that resizes photographs. It keeps a processor busy:
// one photograph at a time, with a whole processor each.
func (c *crumb) photos() constructs.FunctionProps {
	photos := c.function("photos", 0)
	photos.MemoryMiB = oneProcessor
	photos.Policy = append(photos.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*")), "s3:GetObject"),
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("photos/*")), "s3:PutObject"),
	)
	return photos
}

// api is the HTTP API with a function behind each route.
func (c *crumb) api(photos constructs.WorkerQueue) {
	api := constructs.NewApi(c.stack, "Api", constructs.ApiProps{AlarmActions: c.alarmActions()})
	secret := constructs.NewKeySecret(c.stack, "KeySecret")

	enqueue := c.function("enqueue", 10*time.Second)
	enqueue.ReservedConcurrency = c.reserve(60)
	enqueue.Environment = map[string]*string{
		settings.Table:  c.table.TableName(),
		settings.Bucket: c.bucket.BucketName(),
		settings.Secret: constructs.SecretReference(secret),
	}
	for _, queue := range c.queues {
		count(&enqueue, queue)
	}
	enqueue.Policy = append(enqueue.Policy,
		constructs.Allow(c.table.TableArn(), "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"), c.claims("s3:PutObject"))

	uploads := c.function("uploads", 10*time.Second)
	uploads.ReservedConcurrency = c.reserve(40)
	uploads.Environment = map[string]*string{settings.Bucket: c.bucket.BucketName()}
	count(&uploads, photos)
	uploads.Policy = append(uploads.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.UploadsPrefix+"*")), "s3:PutObject"))

	status := c.function("status", 10*time.Second)
	status.ReservedConcurrency = c.reserve(60)
	status.Environment = map[string]*string{settings.Table: c.table.TableName(), settings.Bucket: c.bucket.BucketName()}
	status.Policy = append(status.Policy, constructs.Allow(c.table.TableArn(), "dynamodb:GetItem"), c.claims("s3:GetObject"))

	cancel := c.function("cancel", 10*time.Second)
	cancel.ReservedConcurrency = c.reserve(20)
	cancel.Environment = map[string]*string{settings.Table: c.table.TableName()}
	cancel.Policy = append(cancel.Policy,
		constructs.Allow(c.table.TableArn(), "dynamodb:GetItem", "dynamodb:UpdateItem"))

	web := c.function("web", 10*time.Second)
	web.ReservedConcurrency = c.reserve(40)
	web.Environment = map[string]*string{settings.Bucket: c.bucket.BucketName()}
	web.Policy = append(web.Policy,
		constructs.Allow(c.bucket.ArnForObjects(jsii.String("photos/*")), "s3:GetObject"))

	const get, post, del = awsapigatewayv2.HttpMethod_GET, awsapigatewayv2.HttpMethod_POST, awsapigatewayv2.HttpMethod_DELETE
	api.Route("Enqueue", post, "/jobs/{task}", c.add("EnqueueFunction", enqueue))
	api.Route("Status", get, "/jobs/{id}", c.add("StatusFunction", status))
	api.Route("Cancel", del, "/jobs/{id}", c.add("CancelFunction", cancel))
	api.Route("Uploads", post, "/uploads", c.add("UploadsFunction", uploads))
	site := c.add("WebFunction", web)
	api.Route("Page", get, "/", site)
	api.Route("Site", get, "/{proxy+}", site)

	awscdk.NewCfnOutput(c.stack, jsii.String("Url"), &awscdk.CfnOutputProps{
		Description: jsii.String("Where Crumb is."),
		Value:       api.Stage.Url(),
	})
}

// count lets a function know how deep a queue is: it refuses work when it is full.
func count(function *constructs.FunctionProps, q constructs.WorkerQueue) {
	function.Environment[settings.QueueURL(q.Plan.Queue.Name)] = q.Queue.QueueUrl()
	function.Policy = append(function.Policy, constructs.Allow(q.Queue.QueueArn(), "sqs:GetQueueAttributes"))
}

func (c *crumb) add(id string, props constructs.FunctionProps) awslambda.Function {
	return constructs.NewFunction(c.stack, id, props)
}

// reserve is the reserved concurrency of a function, unless the deployment
// wants none.
func (c *crumb) reserve(n int) int {
	if c.options.NoReservations {
		return 0
	}
	return n
}

// alarmActions is what every alarm does: it notifies the topic, if there is one.
func (c *crumb) alarmActions() []awscloudwatch.IAlarmAction {
	if c.options.AlarmTopic == "" {
		return nil
	}
	const id = "AlarmTopic"
	var topic awssns.ITopic
	if existing := c.stack.Node().TryFindChild(jsii.String(id)); existing != nil {
		jsii.UnsafeCast(existing, &topic)
	} else {
		topic = awssns.Topic_FromTopicArn(c.stack, jsii.String(id), jsii.String(c.options.AlarmTopic))
	}
	return []awscloudwatch.IAlarmAction{awscloudwatchactions.NewSnsAction(topic)}
}
