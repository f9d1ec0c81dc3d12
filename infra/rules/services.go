package rules

import (
	"strings"
	"time"
)

const (
	// longestStop is Fargate's limit, defaultStop what ECS takes where none is said.
	longestStop = 120
	defaultStop = 30
	// toWriteDown is what a worker needs after its time to drain, in seconds.
	toWriteDown = 5
)

// Processes in containers that poll a queue: whoever extends a message's visibility
// must be able to, and must not be killed before it has given back what it holds.
var serviceRules = []Rule{{
	ID:    "stop-timeout",
	Says:  "A container is killed no sooner than its worker has drained (NIGHTSHIFT_DRAIN) and written down how its jobs ended; Fargate waits for two minutes at most.",
	check: checkStops,
}, {
	ID:   "task-queue",
	Says: "A task that receives messages may delete them and extend their visibility: without that its jobs run again and again.",
	check: func(t *template, report report) {
		for _, p := range t.polled() {
			for _, action := range []string{"sqs:DeleteMessage", "sqs:ChangeMessageVisibility"} {
				if !p.rights.allow(action, arnOf(p.queue)) {
					report(p.task.id, "may receive from %s, and has no right to %s", p.queue.id, action)
				}
			}
		}
	},
}, {
	ID:   "polled-visibility",
	Says: "A queue that processes poll says its visibility timeout, and it is longer than they hold a job (NIGHTSHIFT_HOLD).",
	check: func(t *template, report report) {
		for _, p := range t.polled() {
			visibility, said := p.queue.number("VisibilityTimeout")
			hold, _ := duration(environmentOf(p.task, "NIGHTSHIFT_HOLD"))
			switch {
			case !said:
				report(p.queue.id, "has no VisibilityTimeout, and %s polls it", p.task.id)
			case visibility <= hold:
				report(p.queue.id, "hides messages for %v s, and %s holds their jobs for %v s", visibility, p.task.id, hold)
			}
		}
	},
}, {
	ID:   "two-pollers",
	Says: "A queue that processes poll has no mapping: its jobs may take longer than a function lives.",
	check: func(t *template, report report) {
		for _, p := range t.polled() {
			for _, m := range t.mappings() {
				if m.source == p.queue {
					report(m.id, "takes from %s, which %s polls", p.queue.id, p.task.id)
				}
			}
		}
	},
}, {
	ID:    "public-ip",
	Says:  "A task in a public subnet has a public address: without one it can't fetch its image.",
	check: checkAddresses,
}, {
	ID:   "circuit-breaker",
	Says: "A deployment whose tasks don't stay up is given up: ECS would start them for ever.",
	check: func(t *template, report report) {
		for _, service := range t.of("AWS::ECS::Service") {
			if service.at("DeploymentConfiguration", "DeploymentCircuitBreaker", "Enable") != true {
				report(service.id, "has no deployment circuit breaker")
			}
		}
	},
}}

// A polling is a task that polls a queue.
type polling struct {
	task, queue *resource
	rights      statements
}

// polled are the queues of the template that a task's role may receive from.
func (t *template) polled() []polling {
	var found []polling
	for _, task := range t.of("AWS::ECS::TaskDefinition") {
		role := t.target(task.at("TaskRoleArn"))
		if role == nil {
			continue
		}
		rights := t.statements(role)
		for _, queue := range t.of("AWS::SQS::Queue") {
			if rights.allow("sqs:ReceiveMessage", arnOf(queue)) {
				found = append(found, polling{task, queue, rights})
			}
		}
	}
	return found
}

func arnOf(r *resource) any { return map[string]any{"Fn::GetAtt": []any{r.id, "Arn"}} }

func checkStops(t *template, report report) {
	for _, task := range t.of("AWS::ECS::TaskDefinition") {
		for _, element := range task.list("ContainerDefinitions") {
			container, _ := element.(map[string]any)
			stop := (&resource{Properties: container}).numberOr(defaultStop, "StopTimeout")
			drain, polls := duration(variable(container, "NIGHTSHIFT_DRAIN"))
			switch {
			case stop > longestStop:
				report(task.id, "StopTimeout is %v s, and Fargate takes %d at most", stop, longestStop)
			case polls && stop < drain+toWriteDown:
				report(task.id, "is killed %v s after SIGTERM, and drains for %v s: it needs %d s more", stop, drain, toWriteDown)
			}
		}
	}
}

func checkAddresses(t *template, report report) {
	for _, service := range t.of("AWS::ECS::Service") {
		network := "AwsvpcConfiguration"
		for _, subnet := range service.list("NetworkConfiguration", network, "Subnets") {
			in := t.target(subnet)
			if in != nil && in.at("MapPublicIpOnLaunch") == true && service.at("NetworkConfiguration", network, "AssignPublicIp") != "ENABLED" {
				report(service.id, "runs in the public subnet %s and gets no public address", in.id)
				break
			}
		}
	}
}

// environmentOf is a variable of the first of a task's containers that has it.
func environmentOf(task *resource, name string) any {
	for _, element := range task.list("ContainerDefinitions") {
		container, _ := element.(map[string]any)
		if value := variable(container, name); value != nil {
			return value
		}
	}
	return nil
}

func variable(container map[string]any, name string) any {
	for _, element := range asList(container["Environment"]) {
		if pair, _ := element.(map[string]any); pair["Name"] == name {
			return pair["Value"]
		}
	}
	return nil
}

// duration reads a time like 1m50s, in seconds.
func duration(value any) (seconds float64, ok bool) {
	text, _ := value.(string)
	d, err := time.ParseDuration(strings.TrimSpace(text))
	return d.Seconds(), err == nil
}
