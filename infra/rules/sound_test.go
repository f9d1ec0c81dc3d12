package rules

// sound is a small template without a mistake, of every kind of resource that a
// rule looks at.
const sound = `{
  "Resources": {
    "Jobs": {"Type": "AWS::DynamoDB::Table", "Properties": {
      "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "due", "AttributeType": "N"}],
      "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
      "GlobalSecondaryIndexes": [{"IndexName": "due", "KeySchema": [{"AttributeName": "due", "KeyType": "HASH"}]}],
      "StreamSpecification": {"StreamViewType": "NEW_AND_OLD_IMAGES"}}},
    "Work": {"Type": "AWS::SQS::Queue", "Properties": {
      "VisibilityTimeout": 360, "MessageRetentionPeriod": 345600,
      "RedrivePolicy": {"deadLetterTargetArn": {"Fn::GetAtt": ["Letters", "Arn"]}, "maxReceiveCount": 100}}},
    "Films": {"Type": "AWS::SQS::Queue", "Properties": {"VisibilityTimeout": 30}},
    "FilmsRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [{"PolicyDocument": {"Statement": [
      {"Effect": "Allow", "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility"],
       "Resource": {"Fn::GetAtt": ["Films", "Arn"]}}]}}]}},
    "FilmsTask": {"Type": "AWS::ECS::TaskDefinition", "Properties": {
      "TaskRoleArn": {"Fn::GetAtt": ["FilmsRole", "Arn"]},
      "ContainerDefinitions": [{"Name": "films", "StopTimeout": 120, "Environment": [
        {"Name": "NIGHTSHIFT_DRAIN", "Value": "1m50s"}, {"Name": "NIGHTSHIFT_HOLD", "Value": "24s"}]}]}},
    "FilmsSubnet": {"Type": "AWS::EC2::Subnet", "Properties": {"MapPublicIpOnLaunch": true}},
    "FilmsService": {"Type": "AWS::ECS::Service", "Properties": {
      "TaskDefinition": {"Ref": "FilmsTask"},
      "DeploymentConfiguration": {"DeploymentCircuitBreaker": {"Enable": true, "Rollback": true}},
      "NetworkConfiguration": {"AwsvpcConfiguration": {"AssignPublicIp": "ENABLED", "Subnets": [{"Ref": "FilmsSubnet"}]}}}},
    "Letters": {"Type": "AWS::SQS::Queue", "Properties": {"MessageRetentionPeriod": 1209600}},
    "Ordered": {"Type": "AWS::SQS::Queue", "Properties": {"FifoQueue": true, "VisibilityTimeout": 360}},
    "WorkerRole": {"Type": "AWS::IAM::Role", "Properties": {"Policies": [{"PolicyDocument": {"Statement": [
      {"Effect": "Allow", "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
       "Resource": [{"Fn::GetAtt": ["Work", "Arn"]}, {"Fn::GetAtt": ["Ordered", "Arn"]}]}]}}]}},
    "Worker": {"Type": "AWS::Lambda::Function", "Properties": {
      "Role": {"Fn::GetAtt": ["WorkerRole", "Arn"]}, "Timeout": 60, "ReservedConcurrentExecutions": 12}},
    "WorkMapping": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {
      "EventSourceArn": {"Fn::GetAtt": ["Work", "Arn"]}, "FunctionName": {"Ref": "Worker"}, "BatchSize": 10,
      "ScalingConfig": {"MaximumConcurrency": 10}}},
    "OrderedMapping": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {
      "EventSourceArn": {"Fn::GetAtt": ["Ordered", "Arn"]}, "FunctionName": {"Fn::GetAtt": ["Worker", "Arn"]}, "BatchSize": 10,
      "ScalingConfig": {"MaximumConcurrency": 2}}},
    "RelayRole": {"Type": "AWS::IAM::Role", "Properties": {}},
    "RelayPolicy": {"Type": "AWS::IAM::Policy", "Properties": {"Roles": [{"Ref": "RelayRole"}], "PolicyDocument": {"Statement": [
      {"Effect": "Allow", "Action": ["dynamodb:Get*", "dynamodb:DescribeStream"], "Resource": {"Fn::GetAtt": ["Jobs", "StreamArn"]}}]}}},
    "Relay": {"Type": "AWS::Lambda::Function", "Properties": {"Role": {"Fn::GetAtt": ["RelayRole", "Arn"]}, "Timeout": 30}},
    "RelayMapping": {"Type": "AWS::Lambda::EventSourceMapping", "Properties": {
      "EventSourceArn": {"Fn::GetAtt": ["Jobs", "StreamArn"]}, "FunctionName": {"Ref": "Relay"},
      "StartingPosition": "TRIM_HORIZON", "BatchSize": 100,
      "FilterCriteria": {"Filters": [{"Pattern": "{\"dynamodb\":{\"NewImage\":{\"n\":{\"N\":[{\"exists\":true}]}}}}"}]}}},
    "Nightly": {"Type": "AWS::Scheduler::Schedule", "Properties": {
      "ScheduleExpression": "cron(0 3 ? * MON-FRI *)", "ScheduleExpressionTimezone": "Europe/Berlin"}},
    "Tick": {"Type": "AWS::Events::Rule", "Properties": {"ScheduleExpression": "rate(1 minute)"}},
    "Late": {"Type": "AWS::CloudWatch::Alarm", "Properties": {"EvaluationPeriods": 3, "DatapointsToAlarm": 2}},
    "Subscription": {"Type": "AWS::SNS::Subscription", "Properties": {"Protocol": "sqs", "Endpoint": {"Fn::GetAtt": ["Work", "Arn"]}}},
    "WorkPolicy": {"Type": "AWS::SQS::QueuePolicy", "Properties": {"Queues": [{"Ref": "Work"}], "PolicyDocument": {"Statement": [
      {"Effect": "Allow", "Action": "sqs:SendMessage", "Principal": {"Service": "sns.amazonaws.com"}, "Resource": "*"}]}}},
    "Api": {"Type": "AWS::ApiGatewayV2::Api", "Properties": {"ProtocolType": "HTTP"}},
    "Integration": {"Type": "AWS::ApiGatewayV2::Integration", "Properties": {"IntegrationUri": {"Fn::GetAtt": ["Relay", "Arn"]}}},
    "Route": {"Type": "AWS::ApiGatewayV2::Route", "Properties": {"RouteKey": "POST /jobs/{task}",
      "Target": {"Fn::Join": ["", ["integrations/", {"Ref": "Integration"}]]}}},
    "Permission": {"Type": "AWS::Lambda::Permission", "Properties": {
      "FunctionName": {"Ref": "Relay"}, "Principal": "apigateway.amazonaws.com",
      "SourceArn": {"Fn::Join": ["", ["arn:aws:execute-api:", {"Ref": "Api"}, "/*/*/jobs/{task}"]]}}}
  }
}`
