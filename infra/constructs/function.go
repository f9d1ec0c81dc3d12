package constructs

import (
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

// DefaultMemoryMiB is the memory of a function that names none.
const DefaultMemoryMiB = 256

// FunctionMetadata is the key of the CloudFormation metadata that names the
// folder which a function was built from.
const FunctionMetadata = "nightshift:function"

// FunctionProps are the settings of a Lambda function in Go.
type FunctionProps struct {
	// Name is the function's folder: the package functions/<Name>, built to
	// <Assets>/<Name>/bootstrap. Required.
	Name string
	// Assets is the folder of the built functions for linux/arm64. Required.
	Assets string
	// Timeout is in whole seconds, at most 15 minutes. Required.
	Timeout time.Duration
	// MemoryMiB defaults to DefaultMemoryMiB. A function has one whole
	// processor from 1769 MiB on:
	// https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
	MemoryMiB int
	// ReservedConcurrency sets environments aside for this function, and is
	// its limit too. Zero reserves none. Queue workers want none: their
	// mappings' MaximumConcurrency is the limit.
	ReservedConcurrency int
	// Environment is added to what the construct itself sets.
	Environment map[string]*string
	// Policy is what the function may do besides logging and tracing.
	Policy []awsiam.PolicyStatement
	// LogLevel is debug, info, warn or error; empty leaves the default, info.
	LogLevel string
	// AlarmActions are run by each alarm of the function.
	AlarmActions []awscloudwatch.IAlarmAction
}

// NewFunction makes a function on provided.al2023 and arm64 from a prebuilt
// bootstrap, with a role and a log group of its own, JSON logs, active tracing,
// and alarms on errors, throttles and slowness.
//
// The log group's name is CloudFormation's and not /aws/lambda/...: a function
// still running while its stack is deleted would create that one again. The
// role cannot create groups at all.
func NewFunction(scope core.Construct, id string, props FunctionProps) awslambda.Function {
	code := checkedCode(*scope.Node().Path()+"/"+id, props)
	logs := newLogGroup(scope, id+"Logs")
	role := awsiam.NewRole(scope, jsii.String(id+"Role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
	})
	policy := append([]awsiam.PolicyStatement{
		Allow(logs.LogGroupArn(), "logs:CreateLogStream", "logs:PutLogEvents"),
	}, props.Policy...)

	function := awslambda.NewFunction(scope, jsii.String(id), &awslambda.FunctionProps{
		Architecture:                 awslambda.Architecture_ARM_64(),
		Runtime:                      awslambda.Runtime_PROVIDED_AL2023(),
		Handler:                      jsii.String("bootstrap"),
		Code:                         awslambda.Code_FromAsset(jsii.String(code), nil),
		MemorySize:                   jsii.Number(orDefault(props.MemoryMiB, DefaultMemoryMiB)),
		Timeout:                      seconds(props.Timeout),
		ReservedConcurrentExecutions: optionalNumber(props.ReservedConcurrency),
		Environment:                  environment(scope, props),
		Role:                         role,
		InitialPolicy:                &policy,
		LogGroup:                     logs,
		LoggingFormat:                awslambda.LoggingFormat_JSON,
		Tracing:                      awslambda.Tracing_ACTIVE,
	})
	describeForSAM(function, props.Name)
	functionAlarms(scope, id, function, props)
	return function
}

// checkedCode is the folder that becomes the function's archive.
func checkedCode(path string, props FunctionProps) string {
	if props.Timeout < time.Second || props.Timeout > 15*time.Minute || props.Timeout%time.Second != 0 {
		refuse(path, "the timeout is %v: Lambda takes whole seconds from 1 to 900", props.Timeout)
	}
	code := filepath.Join(props.Assets, props.Name)
	if _, err := os.Stat(filepath.Join(code, "bootstrap")); err != nil {
		refuse(path, "%v: run `make build` first", err)
	}
	return code
}

func environment(scope core.Construct, props FunctionProps) *map[string]*string {
	variables := map[string]*string{settings.Namespace: jsii.String(Namespace(scope))}
	maps.Copy(variables, props.Environment)
	if props.LogLevel != "" {
		variables[settings.LogLevel] = jsii.String(props.LogLevel)
	}
	return &variables
}

// describeForSAM tells `sam local` and `sam build`, which can read a CDK
// template, that the archive is built already, and the generator of
// template.yaml which folder it is.
func describeForSAM(function awslambda.Function, name string) {
	var resource awscdk.CfnResource
	jsii.UnsafeCast(function.Node().DefaultChild(), &resource)
	resource.AddMetadata(jsii.String("SkipBuild"), true)
	resource.AddMetadata(jsii.String(FunctionMetadata), name)
}

func newLogGroup(scope core.Construct, id string) awslogs.LogGroup {
	return awslogs.NewLogGroup(scope, jsii.String(id), &awslogs.LogGroupProps{
		Retention:     awslogs.RetentionDays_ONE_MONTH,
		RemovalPolicy: awscdk.RemovalPolicy_DESTROY,
	})
}

// Allow is a policy statement for exactly these actions on one resource.
func Allow(resource *string, actions ...string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:   jsii.Strings(actions...),
		Resources: &[]*string{resource},
	})
}

// UniqueRows is the beginning of the partition keys of unique jobs' locks.
const UniqueRows = "unique#"

// AllowRows is Allow for those rows of a table only whose partition keys begin with
// a prefix.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html
func AllowRows(table *string, prefix string, actions ...string) awsiam.PolicyStatement {
	return allowKeys(table, []string{prefix + "*"}, actions...)
}

// AllowFollowUps lets a function that ends jobs enqueue what follows them (job.Then,
// job.Finally, the last job of a batch): new rows of jobs, and of no other kind.
func AllowFollowUps(table *string) awsiam.PolicyStatement {
	return allowKeys(table, jobKeys, "dynamodb:PutItem")
}

// jobKeys are the partition keys of jobs.
var jobKeys = []string{"job#*", "group#*"}

func allowKeys(table *string, keys []string, actions ...string) awsiam.PolicyStatement {
	statement := Allow(table, actions...)
	statement.AddCondition(jsii.String("ForAllValues:StringLike"), map[string][]string{"dynamodb:LeadingKeys": keys})
	return statement
}

func seconds(d time.Duration) awscdk.Duration {
	return awscdk.Duration_Seconds(jsii.Number(d.Seconds()))
}

func optionalNumber(n int) *float64 {
	if n == 0 {
		return nil
	}
	return jsii.Number(n)
}

func orDefault[T comparable](value, byDefault T) T {
	var zero T
	if value == zero {
		return byDefault
	}
	return value
}
