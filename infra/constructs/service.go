package constructs

import (
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsecs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// Defaults and limits of a Service.
const (
	// OneVCPU is a whole processor, in the units in which Fargate sells them.
	OneVCPU = 1024
	// DefaultServiceMemoryMiB is the least that goes with one processor.
	DefaultServiceMemoryMiB = 2048
	// LongestStop is the most that Fargate waits between SIGTERM and SIGKILL.
	// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task_definition_parameters.html#container_definition_timeout
	LongestStop = 2 * time.Minute
	// StopMargin is what a worker has, of the time until it is killed, to write
	// down how its jobs ended when their time to drain is over.
	StopMargin = 10 * time.Second
)

// ServiceProps are the settings of a container service.
type ServiceProps struct {
	// Queue is what the service's processes poll. Required.
	Queue PolledQueue
	// Name is the program's folder: the package functions/<Name>, built to
	// <Assets>/<Name>/bootstrap, with the Dockerfile beside it. Required.
	Name string
	// Assets is the folder of the built programs for linux/arm64. Required.
	Assets string
	// CPU is in units of which a processor has 1024; zero means OneVCPU.
	// MemoryMiB must go with it; zero means DefaultServiceMemoryMiB.
	// https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html#fargate-tasks-size
	CPU, MemoryMiB int
	// Pollers is how many batches of the queue a process has in hand at once;
	// zero means one for each processor.
	Pollers int
	// Count is how many processes there are; zero means as many as the queue's
	// plan has workers for.
	Count int
	// Drain is how long jobs may go on after SIGTERM: when the service is
	// deployed anew, and when Spot takes its capacity back. Zero means all that
	// Fargate allows, LongestStop - StopMargin.
	Drain time.Duration
	// Spot runs the service on spare capacity, at about a third of the price,
	// which AWS may take back with two minutes' notice. A job that is cut off
	// runs again, so it should be one that takes up where it stopped.
	Spot bool
	// VPC is where the service runs: in its private subnets, where it has some,
	// from which SQS, DynamoDB and the like must be within reach. Nil makes one
	// that has public subnets only, and so costs nothing.
	VPC awsec2.IVpc
	// Environment is added to what the construct itself sets.
	Environment map[string]*string
	// Policy is what the program may do besides logging and polling its queue.
	Policy []awsiam.PolicyStatement
	// LogLevel is debug, info, warn or error; empty leaves the default, info.
	LogLevel string
}

// A Service is a number of processes in containers, on Fargate, that poll a queue.
type Service struct {
	// Service is the ECS service.
	Service awsecs.FargateService
	// TaskRole is what the program acts as.
	TaskRole awsiam.Role
}

// NewService makes an ECS service on Fargate whose processes poll a queue, for jobs
// that no function can run. It is the one thing of a stack that costs money while
// it has nothing to do.
//
// The image holds the built program and nothing else. Containers run as a user
// without rights on a root file system that can't be written to; nothing can reach
// them, and they reach HTTPS alone. A deployment whose processes don't stay up is
// taken back.
func NewService(scope core.Construct, id string, props ServiceProps) Service {
	self := core.NewConstruct(scope, jsii.String(id))
	props = checkedService(*self.Node().Path(), props)
	definition, role := newTaskDefinition(self, props)
	vpc := props.VPC
	if vpc == nil {
		vpc = newPublicVPC(self)
	}
	group := awsec2.NewSecurityGroup(self, jsii.String("Group"), &awsec2.SecurityGroupProps{
		Vpc: vpc, AllowAllOutbound: jsii.Bool(false),
		Description: jsii.String("Lets nothing in, and HTTPS out: to AWS."),
	})
	group.AddEgressRule(awsec2.Peer_AnyIpv4(), awsec2.Port_Tcp(jsii.Number(443)), jsii.String("AWS"), nil)
	service := awsecs.NewFargateService(self, jsii.String("Fargate"), &awsecs.FargateServiceProps{
		Cluster: awsecs.NewCluster(self, jsii.String("Cluster"), &awsecs.ClusterProps{
			Vpc: vpc, EnableFargateCapacityProviders: jsii.Bool(true),
		}),
		TaskDefinition:             definition,
		DesiredCount:               jsii.Number(props.Count),
		CapacityProviderStrategies: capacity(props.Spot),
		AssignPublicIp:             jsii.Bool(props.VPC == nil),
		SecurityGroups:             &[]awsec2.ISecurityGroup{group},
		CircuitBreaker:             &awsecs.DeploymentCircuitBreaker{Rollback: jsii.Bool(true)},
		// New processes are up before old ones stop: nothing waits for a deployment.
		MinHealthyPercent: jsii.Number(100),
		MaxHealthyPercent: jsii.Number(200),
	})
	// The first process may start before its role may do anything, and would be
	// counted as one that does not stay up.
	service.Node().AddDependency(role)
	return Service{service, role}
}

// checkedService gives the settings with their defaults.
func checkedService(path string, props ServiceProps) ServiceProps {
	if props.Queue.Queue == nil {
		refuse(path, "it needs a Queue, made by NewPolledQueue")
	}
	for _, file := range []string{"bootstrap", "Dockerfile"} {
		if _, err := os.Stat(filepath.Join(props.Assets, props.Name, file)); err != nil {
			refuse(path, "%v: run `make build` first; functions/%s has a Dockerfile", err, props.Name)
		}
	}
	props.CPU = orDefault(props.CPU, OneVCPU)
	props.MemoryMiB = orDefault(props.MemoryMiB, DefaultServiceMemoryMiB)
	props.Pollers = orDefault(props.Pollers, max(props.CPU/OneVCPU, 1))
	props.Drain = orDefault(props.Drain, LongestStop-StopMargin)
	if props.Drain < time.Second || props.Drain > LongestStop-StopMargin || props.Drain%time.Second != 0 {
		refuse(path, "Drain is %v: whole seconds up to %v, as Fargate kills after %v and a worker needs %v to write down how its jobs ended",
			props.Drain, LongestStop-StopMargin, LongestStop, StopMargin)
	}
	plan := props.Queue.Plan
	each := props.Pollers * plan.Queue.SideBySide()
	props.Count = orDefault(props.Count, (plan.Workers+each-1)/each)
	if props.Count*each < plan.Workers {
		refuse(path, "%d processes run %d jobs each at once: the queue %q needs %d workers", props.Count, each, plan.Queue.Name, plan.Workers)
	}
	return props
}

// capacity is where the processes run.
func capacity(spot bool) *[]*awsecs.CapacityProviderStrategy {
	provider := "FARGATE"
	if spot {
		provider = "FARGATE_SPOT"
	}
	return &[]*awsecs.CapacityProviderStrategy{{CapacityProvider: jsii.String(provider), Weight: jsii.Number(1)}}
}

// newPublicVPC makes a network of public subnets, in two zones, which costs nothing:
// a NAT gateway would be the dearest part of many a stack. What lets nothing in is
// the security group. The default one is left alone: CDK would empty it by a
// function of its own.
func newPublicVPC(scope core.Construct) awsec2.Vpc {
	return awsec2.NewVpc(scope, jsii.String("Vpc"), &awsec2.VpcProps{
		MaxAzs:      jsii.Number(2),
		NatGateways: jsii.Number(0),
		SubnetConfiguration: &[]*awsec2.SubnetConfiguration{{
			Name: jsii.String("Public"), SubnetType: awsec2.SubnetType_PUBLIC,
		}},
		RestrictDefaultSecurityGroup: jsii.Bool(false),
	})
}

// describeFolder tells the generator of template.yaml, and by it the local stack,
// what the image is built from.
func describeFolder(definition awsecs.FargateTaskDefinition, name string) {
	var resource awscdk.CfnResource
	jsii.UnsafeCast(definition.Node().DefaultChild(), &resource)
	resource.AddMetadata(jsii.String(FunctionMetadata), name)
}
