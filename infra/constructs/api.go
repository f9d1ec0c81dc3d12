package constructs

import (
	"encoding/json"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// Defaults of ApiProps.
const (
	// DefaultRate is how many requests a second the API takes over time.
	DefaultRate = 500
	// DefaultBurst is how many requests it takes at once.
	DefaultBurst = 1000
)

// slowRequest is longer than a request should take: enqueueing is one write.
const slowRequest = 3 * time.Second

// ApiProps are the settings of an HTTP API.
type ApiProps struct {
	// Authorizer says who a client is (IAM, JWT); a client sees and cancels
	// its own jobs only. Without one everybody is the same client, and ids
	// that cannot be guessed are the only protection: synthesis says so.
	Authorizer awsapigatewayv2.IHttpRouteAuthorizer
	// Rate is in requests a second; zero means DefaultRate.
	Rate float64
	// Burst is in requests; zero means DefaultBurst.
	Burst float64
	// AlarmActions are run by the API's alarms.
	AlarmActions []awscloudwatch.IAlarmAction
}

// An Api is an HTTP API with one stage, $default, which logs every request.
type Api struct {
	// HttpApi is the API itself.
	HttpApi awsapigatewayv2.HttpApi
	// Stage is the default stage; its URL is the API's.
	Stage      awsapigatewayv2.HttpStage
	authorizer awsapigatewayv2.IHttpRouteAuthorizer
	accessLogs awslogs.LogGroup
}

// NewApi makes an API without routes.
func NewApi(scope core.Construct, id string, props ApiProps) Api {
	api := awsapigatewayv2.NewHttpApi(scope, jsii.String(id), &awsapigatewayv2.HttpApiProps{
		CreateDefaultStage: jsii.Bool(false),
	})
	stage := awsapigatewayv2.NewHttpStage(api, jsii.String("Stage"), &awsapigatewayv2.HttpStageProps{
		HttpApi:                api,
		StageName:              jsii.String("$default"),
		AutoDeploy:             jsii.Bool(true),
		DetailedMetricsEnabled: jsii.Bool(true),
		Throttle: &awsapigatewayv2.ThrottleSettings{
			RateLimit:  jsii.Number(orDefault(props.Rate, DefaultRate)),
			BurstLimit: jsii.Number(orDefault(props.Burst, DefaultBurst)),
		},
	})
	accessLogs := logRequests(api, stage)
	apiAlarms(api, stage, props.AlarmActions)
	if props.Authorizer == nil {
		awscdk.Annotations_Of(api).AddInfo(jsii.String("this API has no authorizer: " +
			"everybody is the same client, and whoever knows the id of a job may see and cancel it"))
	}
	return Api{api, stage, props.Authorizer, accessLogs}
}

// Route sends the requests of one method and path to a function, in payload
// format 2.0.
func (a Api) Route(id string, method awsapigatewayv2.HttpMethod, path string, function awslambda.Function) {
	awsapigatewayv2.NewHttpRoute(a.HttpApi, jsii.String(id+"Route"), &awsapigatewayv2.HttpRouteProps{
		HttpApi:  a.HttpApi,
		RouteKey: awsapigatewayv2.HttpRouteKey_With(jsii.String(path), method),
		Integration: awsapigatewayv2integrations.NewHttpLambdaIntegration(jsii.String("Integration"), function,
			&awsapigatewayv2integrations.HttpLambdaIntegrationProps{
				PayloadFormatVersion: awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
			}),
		Authorizer: a.authorizer,
	})
}

// logRequests writes one JSON line for each request. The higher construct's
// settings have no struct in Go, hence the resource itself.
func logRequests(api awsapigatewayv2.HttpApi, stage awsapigatewayv2.HttpStage) awslogs.LogGroup {
	format, err := json.Marshal(map[string]string{
		"requestId":         "$context.requestId",
		"time":              "$context.requestTimeEpoch",
		"ip":                "$context.identity.sourceIp",
		"route":             "$context.routeKey",
		"path":              "$context.path",
		"status":            "$context.status",
		"latency":           "$context.responseLatency",
		"integrationStatus": "$context.integrationStatus",
		"integrationError":  "$context.integrationErrorMessage",
		"responseLength":    "$context.responseLength",
		"userAgent":         "$context.identity.userAgent",
	})
	if err != nil {
		panic(err)
	}
	logs := newLogGroup(api, "AccessLogs")
	var resource awsapigatewayv2.CfnStage
	jsii.UnsafeCast(stage.Node().DefaultChild(), &resource)
	resource.SetAccessLogSettings(&awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
		DestinationArn: logs.LogGroupArn(),
		Format:         jsii.String(string(format)),
	})
	return logs
}

func apiAlarms(api awsapigatewayv2.HttpApi, stage awsapigatewayv2.HttpStage, actions []awscloudwatch.IAlarmAction) {
	newAlarm(api, "ServerErrorsAlarm", alarm{
		says: "More than 1 % of the API's answers are 5xx.", runbook: apiErrors,
		metric: stage.MetricServerError(&awscloudwatch.MetricOptions{
			Statistic: jsii.String("Average"), Period: minutes(1),
		}),
		above: 0.01, periods: 3, actions: actions,
	})
	newAlarm(api, "LatencyAlarm", alarm{
		says: "The slowest requests to the API take more than three seconds.", runbook: apiLatency,
		metric: stage.MetricLatency(everyMinute("p99")),
		above:  float64(slowRequest.Milliseconds()), periods: 3, actions: actions,
	})
}
