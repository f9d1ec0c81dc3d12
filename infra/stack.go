package main

import (
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatchactions"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/sizing"
)

// stackName is the name of the CloudFormation stack.
const stackName = "Crumb"

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
	// NoVideos leaves out the service that works on films (context
	// no-videos=true): it alone costs money when there is nothing to do.
	NoVideos bool
	// MailFrom is who mails come from: an address of a domain that SES may use, with
	// a name if any (context mail-from).
	MailFrom string
	// Concurrency is how many invocations the account may have at once (context
	// concurrency). Zero: AWS's default, 1000.
	Concurrency int
	// Connections is how many connections the database behind the workers bears
	// (context database-connections), if they call one besides the tables. Zero: none.
	Connections int
	// URL is where the site is, for links in mails (context site-url). Empty: the
	// API's own address.
	URL string
}

// A crumb is the stack of the recipe site while it is being put together.
type crumb struct {
	stack    awscdk.Stack
	options  options
	table    awsdynamodb.Table
	site     awsdynamodb.Table
	bucket   awss3.Bucket
	secret   awssecretsmanager.Secret
	backstop constructs.Backstop
	fifo     constructs.Backstop // the backstop of FIFO queues
	relay    constructs.Relay
	sweep    constructs.Sweep
	queues   []constructs.JobQueue
	recipes  constructs.Topic
	mails    mailing
	// ordered are the queues of what readers order on the site: it refuses when
	// they are full.
	ordered []constructs.JobQueue
	// uploaded are those in which uploads are worked on: they are refused before
	// they are sent.
	uploaded []constructs.JobQueue
	// reserved is the concurrency that functions have for themselves.
	reserved int
	// linked are functions whose mails lead back to the site.
	linked []awslambda.Function
}

// newCrumb declares everything that Crumb needs in AWS.
func newCrumb(scope awscdk.App, options options) awscdk.Stack {
	stack := awscdk.NewStack(scope, jsii.String(stackName), &awscdk.StackProps{
		Description: jsii.String("Crumb, a recipe-sharing site: its background work by Nightshift."),
	})
	c := &crumb{stack: stack, options: options}
	c.table = constructs.NewJobsTable(stack, "JobsTable")
	c.site = newSiteTable(stack, "SiteTable")
	c.bucket = constructs.NewObjectsBucket(stack, "ObjectsBucket")
	c.secret = constructs.NewKeySecret(stack, "KeySecret")

	c.backstop = constructs.NewBackstop(stack, "Backstop", constructs.BackstopProps{
		Table: c.table, Function: c.function("backstop", 30*time.Second),
	})
	c.fifo = c.newFIFOBackstop()
	relay := c.function("relay", 30*time.Second)
	relay.ReservedConcurrency = c.reserve(20)
	c.relay = constructs.NewRelay(stack, "Relay", constructs.RelayProps{
		Table: c.table, Bucket: c.bucket, Function: relay,
	})
	c.sweep = constructs.NewSweep(stack, "Sweep", constructs.SweepProps{
		Table: c.table, Bucket: c.bucket, Function: c.function("sweep", 50*time.Second),
	})
	c.recipes = constructs.NewTopic(stack, "Recipes", constructs.TopicProps{
		Name: tasks.Recipes.Name, FIFO: tasks.Recipes.FIFO, AlarmActions: c.alarmActions(),
	})
	c.relay.PublishEvents(c.recipes)

	photos := c.worker(tasks.Photos, c.photos())
	c.trending()
	c.reminders()
	c.subscribers()
	c.mail()
	schedules := c.schedules()
	imports := c.imports()
	c.ordered = []constructs.JobQueue{photos, c.exports(), c.pdfs(), imports}
	c.uploaded = []constructs.JobQueue{photos, c.videos(), imports}
	api := c.api()
	constructs.CheckCapacity(stack, c.capacity(), c.queues...)
	constructs.NewScaling(stack, "Scaling", constructs.ScalingProps{
		Table: c.table, Queues: c.queues, MostWorkers: c.options.Connections, Function: c.function("scaling", 50*time.Second),
	})
	constructs.NewDashboard(stack, "Dashboard", constructs.DashboardProps{
		Queues: c.queues, Relay: c.relay, Sweep: c.sweep, Schedules: &schedules, Api: &api,
	})

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
	function.Policy = append(c.workersRights(), function.Policy...)
	backstop := c.backstop
	if q.FIFO {
		backstop = c.fifo
	}
	made := constructs.NewWorkerQueue(c.stack, constructs.ID(q.Name), constructs.WorkerQueueProps{
		Queue: q, Tasks: tasks.Defined(), Function: function, Backstop: backstop,
	})
	c.relay.Publish(made)
	c.sweep.Watch(made)
	c.queues = append(c.queues, made)
	return made
}

// workersRights are what any worker does with jobs.
func (c *crumb) workersRights() []awsiam.PolicyStatement {
	return []awsiam.PolicyStatement{
		constructs.Allow(c.table.TableArn(),
			"dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"),
		c.claims("s3:GetObject", "s3:PutObject"),
		// Without it S3 answers for a missing object that access is denied.
		constructs.Allow(c.bucket.BucketArn(), "s3:ListBucket"),
	}
}

// claims is a right on the arguments and results that are too large for a row.
func (c *crumb) claims(actions ...string) awsiam.PolicyStatement {
	return constructs.Allow(c.bucket.ArnForObjects(jsii.String(constructs.ClaimsPrefix+"*")), actions...)
}

func (c *crumb) add(id string, props constructs.FunctionProps) awslambda.Function {
	return constructs.NewFunction(c.stack, id, props)
}

// reserve is the reserved concurrency of a function, unless the deployment
// wants none.
func (c *crumb) reserve(n int) int {
	c.reserved += n
	if c.options.NoReservations {
		return 0
	}
	return n
}

// fewAtOnce is what the functions need together that run once a minute or seldom:
// sweep, scaling, schedules, backstops, bounces.
const fewAtOnce = 20

// capacity is what the account has, and what functions that are no workers need of it.
func (c *crumb) capacity() sizing.Capacity {
	capacity := sizing.Capacity{Concurrency: c.options.Concurrency, Others: c.reserved + fewAtOnce}
	if c.options.Connections > 0 {
		capacity.Databases = []sizing.Database{{Name: "database-connections", Most: c.options.Connections}}
	}
	return capacity
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
