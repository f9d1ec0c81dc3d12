package rules

import (
	"strings"
)

// Whoever polls or calls a function, and a topic that sends to a queue, must be
// allowed to; CloudFormation creates all of it without, and nothing arrives.
var permissionRules = []Rule{{
	ID:    "role-source",
	Says:  "A function's role may read the source that its mapping polls.",
	check: each(checkRole),
}, {
	ID:   "topic-queue",
	Says: "A queue that subscribes to a topic lets SNS send to it.",
	check: func(t *template, report report) {
		for _, subscription := range t.of("AWS::SNS::Subscription") {
			queue := t.target(subscription.at("Endpoint"))
			if subscription.at("Protocol") == "sqs" && queue != nil && !topicMaySend(t, queue) {
				report(queue.id, "has no queue policy that lets sns.amazonaws.com send what %s brings", subscription.id)
			}
		}
	},
}, {
	ID:    "api-function",
	Says:  "API Gateway may invoke the function behind each route.",
	check: checkRoutes,
}}

var (
	toPollQueue  = []string{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}
	toReadStream = []string{"dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"}
)

func checkRole(t *template, m mapping, report report) {
	var needed []string
	switch {
	case m.fromQueue():
		needed = toPollQueue
	case m.fromTable():
		needed = toReadStream
	}
	if m.function == nil || len(needed) == 0 {
		return
	}
	role := t.target(m.function.at("Role"))
	if role == nil || role.Type != "AWS::IAM::Role" || isManagedFor(role, m) {
		return
	}
	statements := t.statements(role)
	for _, action := range needed {
		if !statements.allow(action, m.at("EventSourceArn")) {
			report(role.id, "does not allow %s on what %s polls", action, m.id)
		}
	}
}

// isManagedFor tells whether one of AWS's own policies gives the role what the
// mapping needs.
func isManagedFor(role *resource, m mapping) bool {
	name := "AWSLambdaSQSQueueExecutionRole"
	if m.fromTable() {
		name = "AWSLambdaDynamoDBExecutionRole"
	}
	for _, policy := range role.list("ManagedPolicyArns") {
		if strings.HasSuffix(literalTail(policy), name) {
			return true
		}
	}
	return false
}

func topicMaySend(t *template, queue *resource) bool {
	for _, policy := range t.of("AWS::SQS::QueuePolicy") {
		for _, of := range policy.list("Queues") {
			if t.target(of) != queue {
				continue
			}
			for _, s := range asStatements(policy.at("PolicyDocument")) {
				if s.allowsAction("sqs:SendMessage") && s.hasPrincipal("sns.amazonaws.com") {
					return true
				}
			}
		}
	}
	return false
}

func checkRoutes(t *template, report report) {
	for _, route := range t.of("AWS::ApiGatewayV2::Route") {
		integration := t.target(lastPart(route.at("Target")))
		if integration == nil {
			continue
		}
		function := t.target(integration.at("IntegrationUri"))
		key, _ := route.at("RouteKey").(string)
		if function != nil && function.Type == "AWS::Lambda::Function" && !gatewayMayInvoke(t, function, key) {
			report(function.id, "has no permission that lets API Gateway invoke it for %q", key)
		}
	}
}

// gatewayMayInvoke looks for a permission whose source, if it names one, covers
// the route: an ARN that ends in /<stage>/<method>/<path>.
func gatewayMayInvoke(t *template, function *resource, routeKey string) bool {
	method, path, _ := strings.Cut(routeKey, " ")
	request := "/$default/" + method + path
	for _, permission := range t.of("AWS::Lambda::Permission") {
		if t.target(permission.at("FunctionName")) != function || permission.at("Principal") != "apigateway.amazonaws.com" {
			continue
		}
		source := permission.at("SourceArn")
		if source == nil || glob(literalTail(source), request) {
			return true
		}
	}
	return false
}
