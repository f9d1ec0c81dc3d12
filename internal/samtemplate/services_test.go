package samtemplate

import (
	"strings"
	"testing"
)

const service = `
Resources:
  Films:
    Type: AWS::ECS::Service
    DependsOn: Role
    Properties:
      Cluster: !Ref Cluster
      DesiredCount: 2
      TaskDefinition: !Ref Task
      NetworkConfiguration: {AwsvpcConfiguration: {Subnets: [!Ref Subnet], SecurityGroups: [!GetAtt Group.GroupId]}}
  Task:
    Type: AWS::ECS::TaskDefinition
    Metadata: {nightshift:function: films}
    Properties:
      TaskRoleArn: !GetAtt Role.Arn
      ContainerDefinitions:
        - Name: films
          Image: films
          StopTimeout: 120
          Environment: [{Name: QUEUE, Value: !Ref Queue}, {Name: HOLD, Value: 24s}]
  Queue: {Type: AWS::SQS::Queue}
  Role: {Type: AWS::IAM::Role}
  Cluster: {Type: AWS::ECS::Cluster}
  Group: {Type: AWS::EC2::SecurityGroup}
  Subnet:
    Type: AWS::EC2::Subnet
    Properties: {AvailabilityZone: !Select [0, {Fn::GetAZs: ""}]}
`

func TestServices(t *testing.T) {
	parsed, err := Parse([]byte(service))
	if err != nil {
		t.Fatal(err)
	}
	if len(parsed.Warnings) != 0 {
		t.Errorf("what a service runs in is warned of: %v", parsed.Warnings)
	}
	scope := &Scope{Region: "eu-west-1"}
	scope.Set("Queue", "Ref", "http://queue")
	scope.Set("Task", "Ref", "the-task")
	byID := map[string]*Resource{}
	var order []string
	for _, r := range parsed.Resources {
		byID[r.ID] = r
		order = append(order, r.ID)
	}
	if got := strings.Join(order, " "); got != "Queue Task Films" {
		t.Errorf("the order is %s", got)
	}
	var task TaskDefinition
	if err := parsed.Decode(byID["Task"], scope, &task); err != nil {
		t.Fatal(err)
	}
	if len(task.ContainerDefinitions) != 1 || *task.ContainerDefinitions[0].StopTimeout != 120 || byID["Task"].Folder() != "films" || byID["Queue"].Folder() != "" {
		t.Errorf("%+v of %q", task, byID["Task"].Folder())
	}
	if e := task.ContainerDefinitions[0].Environment; len(e) != 2 || e[0].Name != "QUEUE" || e[0].Value != "http://queue" || e[1].Value != "24s" {
		t.Errorf("the environment is %v", e)
	}
	var s Service
	if err := parsed.Decode(byID["Films"], scope, &s); err != nil || s.TaskDefinition != "the-task" || *s.DesiredCount != 2 {
		t.Errorf("%+v, %v", s, err)
	}
}
