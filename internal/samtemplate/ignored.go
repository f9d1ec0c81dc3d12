package samtemplate

import "slices"

// ignored tells whether a resource type is one that means nothing on a laptop.
// Each is named, so that a type nobody thought of is reported and not lost.
func ignored(kind string) bool { return slices.Contains(withoutLocalMeaning, kind) }

var withoutLocalMeaning = []string{
	"AWS::ApiGatewayV2::Authorizer",
	"AWS::ApiGatewayV2::Stage",
	"AWS::ApplicationInsights::Application",
	"AWS::CDK::Metadata",
	"AWS::CloudWatch::Alarm",
	"AWS::CloudWatch::CompositeAlarm",
	"AWS::CloudWatch::Dashboard",
	"AWS::EC2::InternetGateway",
	"AWS::EC2::Route",
	"AWS::EC2::RouteTable",
	"AWS::EC2::SecurityGroup",
	"AWS::EC2::SecurityGroupEgress",
	"AWS::EC2::SecurityGroupIngress",
	"AWS::EC2::Subnet",
	"AWS::EC2::SubnetRouteTableAssociation",
	"AWS::EC2::VPC",
	"AWS::EC2::VPCEndpoint",
	"AWS::EC2::VPCGatewayAttachment",
	"AWS::ECS::Cluster",
	"AWS::ECS::ClusterCapacityProviderAssociations",
	"AWS::IAM::ManagedPolicy",
	"AWS::IAM::Policy",
	"AWS::IAM::Role",
	"AWS::KMS::Alias",
	"AWS::KMS::Key",
	"AWS::Lambda::Alias",
	"AWS::Lambda::Permission",
	"AWS::Lambda::Version",
	"AWS::Logs::LogGroup",
	"AWS::Logs::MetricFilter",
	"AWS::S3::BucketPolicy",
	"AWS::SNS::TopicPolicy",
	"AWS::SQS::QueuePolicy",
	"AWS::Scheduler::ScheduleGroup",
	"AWS::SecretsManager::ResourcePolicy",
	"AWS::SecretsManager::RotationSchedule",
	"AWS::XRay::SamplingRule",
}
