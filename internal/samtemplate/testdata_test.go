package samtemplate

const whole = `
Transform: AWS::Serverless-2016-10-31
Parameters:
  Arch: {Type: String, Default: arm64}
  Stage: {Type: String}
Conditions:
  IsProd: !Equals [!Ref Stage, prod]
  NotProd: !Not [!Condition IsProd]
Mappings:
  Sizes: {small: {memory: 256}}
Globals:
  Function:
    Timeout: 20
    Environment: {Variables: {LEVEL: info, BOTH: global}}
Resources:
  Worker:
    Type: AWS::Serverless::Function
    Properties:
      CodeUri: !Sub dist/${Arch}/worker
      Handler: bootstrap
      MemorySize: !FindInMap [Sizes, small, memory]
      Role: !GetAtt Role.Arn
      Environment:
        Variables:
          QUEUE: !Ref Queue
          BOTH: local
          ARN: {"Fn::GetAtt": [Queue, Arn]}
          SECRET: {"Fn::Join": ["", ["{{resolve:secretsmanager:", {Ref: Secret}, ":SecretString:::}}"]]}
          SUB: !Sub ["${x}-${AWS::Region}-${!literal}-${Queue.QueueName}", {x: !Ref Stage}]
          SPLIT: !Select [1, !Split [",", "a,b,c"]]
          IF: !If [NotProd, dev, prod]
          GONE: !Ref AWS::NoValue
      Events:
        Get: {Type: HttpApi, Properties: {Path: "/x/{id}", Method: get}}
        Any: {Type: HttpApi}
        Queue: {Type: SQS, Properties: {Queue: !GetAtt Queue.Arn, BatchSize: 5, FunctionResponseTypes: [ReportBatchItemFailures]}}
        Stream: {Type: DynamoDB, Properties: {Stream: !GetAtt Table.StreamArn, StartingPosition: LATEST}}
        Tick: {Type: ScheduleV2, Properties: {ScheduleExpression: rate(1 minute)}}
      EventInvokeConfig: {MaximumRetryAttempts: 0}
  Queue:
    Type: AWS::SQS::Queue
    Properties:
      VisibilityTimeout: "120"
      RedrivePolicy: {deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 5}
  Dead: {Type: AWS::SQS::Queue}
  Secret: {Type: AWS::SecretsManager::Secret}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      AttributeDefinitions: [{AttributeName: pk, AttributeType: S}]
      KeySchema: [{AttributeName: pk, KeyType: HASH}]
      StreamSpecification: {StreamViewType: NEW_AND_OLD_IMAGES}
  Mapping:
    Type: AWS::Lambda::EventSourceMapping
    Properties:
      FunctionName: !Ref Worker
      EventSourceArn: !GetAtt Queue.Arn
      BatchSize: 100
      MaximumBatchingWindowInSeconds: 1
      ScalingConfig: {MaximumConcurrency: 7}
      FilterCriteria: {Filters: [{Pattern: '{"body":["x"]}'}]}
  Api: {Type: AWS::ApiGatewayV2::Api, Properties: {ProtocolType: HTTP, CorsConfiguration: {AllowOrigins: ["*"], MaxAge: 60}}}
  Integration:
    Type: AWS::ApiGatewayV2::Integration
    Properties:
      ApiId: !Ref Api
      IntegrationType: AWS_PROXY
      IntegrationUri: !Sub arn:aws:apigateway:${AWS::Region}:lambda:path/2015-03-31/functions/${Worker.Arn}/invocations
      PayloadFormatVersion: "2.0"
  Route:
    Type: AWS::ApiGatewayV2::Route
    Properties: {ApiId: !Ref Api, RouteKey: POST /y, Target: !Join [/, [integrations, !Ref Integration]]}
  Schedule:
    Type: AWS::Scheduler::Schedule
    Properties: {ScheduleExpression: rate(5 minutes), State: DISABLED, Target: {Arn: !GetAtt Worker.Arn, Input: '{"a":1}'}}
  ProdOnly: {Type: AWS::SQS::Queue, Condition: IsProd}
  Role: {Type: AWS::IAM::Role}
  Odd: {Type: AWS::Unheard::Of}
`
