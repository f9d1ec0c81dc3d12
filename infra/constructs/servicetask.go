package constructs

import (
	"maps"
	"path/filepath"
	"strconv"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsecrassets"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsecs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// nobody is the user that the program runs as: one without a name or rights.
const nobody = "65532:65532"

// newTaskDefinition says what one process of a service is.
func newTaskDefinition(scope core.Construct, props ServiceProps) (awsecs.FargateTaskDefinition, awsiam.Role) {
	role := newTaskRole(scope, props)
	definition := awsecs.NewFargateTaskDefinition(scope, jsii.String("Task"), &awsecs.FargateTaskDefinitionProps{
		Cpu: jsii.Number(props.CPU), MemoryLimitMiB: jsii.Number(props.MemoryMiB), TaskRole: role,
		RuntimePlatform: &awsecs.RuntimePlatform{
			CpuArchitecture: awsecs.CpuArchitecture_ARM64(), OperatingSystemFamily: awsecs.OperatingSystemFamily_LINUX(),
		},
	})
	definition.AddContainer(jsii.String("Container"), &awsecs.ContainerDefinitionOptions{
		ContainerName: jsii.String(props.Name),
		Image: awsecs.ContainerImage_FromDockerImageAsset(awsecrassets.NewDockerImageAsset(scope, jsii.String("Image"), &awsecrassets.DockerImageAssetProps{
			Directory: jsii.String(filepath.Join(props.Assets, props.Name)),
			Platform:  awsecrassets.Platform_LINUX_ARM64(),
		})),
		Environment:            serviceEnvironment(scope, props),
		User:                   jsii.String(nobody),
		ReadonlyRootFilesystem: jsii.Bool(true),
		StopTimeout:            seconds(props.Drain + StopMargin),
		// A log that can't be written must not hold up a heartbeat.
		Logging: awsecs.NewAwsLogDriver(&awsecs.AwsLogDriverProps{
			StreamPrefix: jsii.String(props.Name), LogGroup: newLogGroup(scope, "Logs"),
			Mode: awsecs.AwsLogDriverMode_NON_BLOCKING, MaxBufferSize: awscdk.Size_Mebibytes(jsii.Number(4)),
		}),
	})
	describeFolder(definition, props.Name)
	return definition, role
}

// newTaskRole makes what the program acts as. Only tasks of the account may take
// the role:
// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-iam-roles.html
func newTaskRole(scope core.Construct, props ServiceProps) awsiam.Role {
	account := awscdk.Stack_Of(scope).Account()
	role := awsiam.NewRole(scope, jsii.String("TaskRole"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("ecs-tasks.amazonaws.com"), &awsiam.ServicePrincipalOpts{
			Conditions: &map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": account}},
		}),
	})
	for _, statement := range append(props.Queue.workersRights(), props.Policy...) {
		role.AddToPolicy(statement)
	}
	return role
}

// serviceEnvironment is what package settings reads, besides the program's own.
func serviceEnvironment(scope core.Construct, props ServiceProps) *map[string]*string {
	name := props.Queue.Plan.Queue.Name
	variables := map[string]*string{
		"AWS_REGION":              awscdk.Stack_Of(scope).Region(),
		settings.Namespace:        jsii.String(Namespace(scope)),
		settings.QueueURL(name):   props.Queue.Queue.QueueUrl(),
		settings.LettersURL(name): props.Queue.DeadLetterQueue.QueueUrl(),
		settings.Pollers:          jsii.String(strconv.Itoa(props.Pollers)),
		settings.Hold:             jsii.String(worker.HoldFor(props.Queue.Visibility).String()),
		settings.Drain:            jsii.String(props.Drain.String()),
	}
	if props.LogLevel != "" {
		variables[settings.LogLevel] = jsii.String(props.LogLevel)
	}
	maps.Copy(variables, props.Environment)
	return &variables
}
