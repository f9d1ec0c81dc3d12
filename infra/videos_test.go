package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/jsii-runtime-go"
)

// What the roles of services may do: what the program acts as, and what starts it.
var servicePrivileges = map[string][]string{
	"VideosServiceTaskRoleDefaultPolicy": {
		"dynamodb:ConditionCheckItem <JobsTable.Arn>",
		"dynamodb:GetItem <JobsTable.Arn>",
		"dynamodb:PutItem <JobsTable.Arn>",
		"dynamodb:UpdateItem <JobsTable.Arn>",
		"s3:GetObject <ObjectsBucket.Arn>/jobs/*",
		"s3:GetObject <ObjectsBucket.Arn>/uploads/*",
		"s3:ListBucket <ObjectsBucket.Arn>",
		"s3:PutObject <ObjectsBucket.Arn>/jobs/*",
		"s3:PutObject <ObjectsBucket.Arn>/uploads/*/segments/*",
		"s3:PutObject <ObjectsBucket.Arn>/videos/*",
		"sqs:ChangeMessageVisibility <VideosQueue.Arn>",
		"sqs:DeleteMessage <VideosQueue.Arn>",
		"sqs:GetQueueAttributes <VideosQueue.Arn>",
		"sqs:ReceiveMessage <VideosQueue.Arn>",
		"sqs:SendMessage <VideosDeadLetterQueue.Arn>",
	},
	"VideosServiceTaskExecutionRoleDefaultPolicy": {
		"ecr:BatchCheckLayerAvailability " + imageRepository,
		"ecr:BatchGetImage " + imageRepository,
		"ecr:GetAuthorizationToken *",
		"ecr:GetDownloadUrlForLayer " + imageRepository,
		"logs:CreateLogStream <VideosServiceLogs.Arn>",
		"logs:PutLogEvents <VideosServiceLogs.Arn>",
	},
}

// imageRepository is where the cdk command puts images.
const imageRepository = "arn:<AWS::Partition>:ecr:<AWS::Region>:<AWS::AccountId>:repository/" +
	`{"Fn::Sub":"cdk-hnb659fds-container-assets-${AWS::AccountId}-${AWS::Region}"}`

func TestLeastPrivilegeOfServices(t *testing.T) {
	policies := ofType(t, "AWS::IAM::Policy")
	for id, wanted := range servicePrivileges {
		if got := allowed(t, policies[id]); !slices.Equal(got, wanted) {
			t.Errorf("%s allows\n  %s\nwant\n  %s", id, strings.Join(got, "\n  "), strings.Join(wanted, "\n  "))
		}
	}
}

func TestVideos(t *testing.T) {
	all := resources(t)
	want(t, "VideosQueue", all["VideosQueue"].Properties, map[string]string{
		"VisibilityTimeout":                 "30",
		"RedrivePolicy.deadLetterTargetArn": "<BackstopQueue.Arn>",
	})
	// Thirty minutes to wait, and twenty to run: a message is there until its job ends.
	want(t, "VideosQueueAgeAlarm", all["VideosQueueAgeAlarm"].Properties, map[string]string{"Threshold": "3000"})
	want(t, "VideosServiceFargateService", all["VideosServiceFargateService"].Properties, map[string]string{
		"DesiredCount":             "2",
		"CapacityProviderStrategy": `{"CapacityProvider":"FARGATE_SPOT","Weight":1}`,
		"DeploymentConfiguration.DeploymentCircuitBreaker":        `{"Enable":true,"Rollback":true}`,
		"NetworkConfiguration.AwsvpcConfiguration.AssignPublicIp": "ENABLED",
		"NetworkConfiguration.AwsvpcConfiguration.SecurityGroups": "<VideosServiceGroup.GroupId>",
		"TaskDefinition": "<VideosServiceTask>",
	})
	want(t, "VideosServiceGroup", all["VideosServiceGroup"].Properties, map[string]string{
		"SecurityGroupIngress": "none",
		"SecurityGroupEgress":  `{"CidrIp":"0.0.0.0/0","Description":"AWS","FromPort":443,"IpProtocol":"tcp","ToPort":443}`,
	})
	task := all["VideosServiceTask"].Properties
	want(t, "VideosServiceTask", task, map[string]string{
		"Cpu": "1024", "Memory": "2048", "NetworkMode": "awsvpc", "RequiresCompatibilities": "FARGATE",
		"RuntimePlatform":  `{"CpuArchitecture":"ARM64","OperatingSystemFamily":"LINUX"}`,
		"TaskRoleArn":      "<VideosServiceTaskRole.Arn>",
		"ExecutionRoleArn": "<VideosServiceTaskExecutionRole.Arn>",
	})
	container := task["ContainerDefinitions"].([]any)[0].(map[string]any)
	want(t, "the container", container, map[string]string{
		"StopTimeout": "120", "ReadonlyRootFilesystem": "true", "User": "65532:65532", "Privileged": "none", "PortMappings": "none",
		"LogConfiguration.Options.mode": "non-blocking", "LogConfiguration.Options.awslogs-group": "<VideosServiceLogs>",
	})
	want(t, "VideosServiceLogs", all["VideosServiceLogs"].Properties, map[string]string{"RetentionInDays": "30"})
	var environment []string
	for _, pair := range container["Environment"].([]any) {
		environment = append(environment, text(pair.(map[string]any)["Name"])+"="+text(pair.(map[string]any)["Value"]))
	}
	if wanted := []string{
		"AWS_REGION=<AWS::Region>", "NIGHTSHIFT_BUCKET=<ObjectsBucket>", "NIGHTSHIFT_DRAIN=1m50s", "NIGHTSHIFT_HOLD=24s", "NIGHTSHIFT_LOG_LEVEL=info", "NIGHTSHIFT_NAMESPACE=" + namespace,
		"NIGHTSHIFT_POLLERS=1", "NIGHTSHIFT_QUEUE_VIDEOS_DLQ_URL=<VideosDeadLetterQueue>", "NIGHTSHIFT_QUEUE_VIDEOS_URL=<VideosQueue>", "NIGHTSHIFT_TABLE=<JobsTable>",
	}; !slices.Equal(environment, wanted) {
		t.Errorf("the environment is\n%s\nwant\n%s", strings.Join(environment, "\n"), strings.Join(wanted, "\n"))
	}
	for id, r := range all {
		if r.Type == "AWS::EC2::NatGateway" || strings.HasPrefix(r.Type, "Custom::") {
			t.Errorf("%s is a %s: it costs money, or is a function that nobody wrote", id, r.Type)
		}
	}
}

// Without the service there is the queue, and a note of it.
func TestNoVideos(t *testing.T) {
	needNode(t)
	assets := filepath.Join(t.TempDir(), "dist")
	if err := standIns("..", assets); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: jsii.String(out), AnalyticsReporting: jsii.Bool(false)})
	stack := newCrumb(app, options{Assets: assets, NoVideos: true})
	app.Synth(nil)
	template, err := os.ReadFile(filepath.Join(out, stackName+".template.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(template), "AWS::ECS") || strings.Contains(string(template), "AWS::EC2") || !strings.Contains(string(template), `"VideosQueue"`) {
		t.Error("the service is there, or the queue is not")
	}
	if said := strings.Join(notes(stack), "\n"); !strings.Contains(said, "nobody polls this queue") {
		t.Errorf("the notes are %q", said)
	}
}
