package samtemplate

import (
	"reflect"
	"strings"
)

// httpEvent is a SAM event of type HttpApi.
type httpEvent struct {
	Method, Path    string
	TimeoutInMillis int
}

// queueEvent and streamEvent are SAM's names for a mapping's source.
type queueEvent struct{ Queue string }
type streamEvent struct{ Stream string }

// scheduleEvent is a SAM event of type Schedule or ScheduleV2.
type scheduleEvent struct {
	Name, Input, State         string
	Schedule                   string
	ScheduleExpression         string
	ScheduleExpressionTimezone string
	Enabled                    *bool
}

// eventPrototype gives a fresh struct for the properties of a SAM event, or nil.
func eventPrototype(kind string) any {
	switch kind {
	case "HttpApi":
		return &httpEvent{}
	case "SQS", "DynamoDB":
		return &Mapping{}
	case "Schedule", "ScheduleV2":
		return &scheduleEvent{}
	}
	return nil
}

// functionEvents adds the Events of a SAM function to the wiring.
func (d *decoder) functionEvents(w *Wiring, r *Resource, f *Function) {
	function := d.scope.Get(r.ID, "Arn")
	for _, name := range sortedKeys(f.Events) {
		event := f.Events[name]
		path := r.ID + ".Events." + name
		into := eventPrototype(event.Type)
		d.decode(event.Properties.node, reflect.ValueOf(into).Elem(), path)
		switch v := into.(type) {
		case *httpEvent:
			w.Routes = append(w.Routes, Route{Key: v.key(), Function: function, TimeoutMillis: v.TimeoutInMillis})
		case *Mapping:
			v.ID, v.FunctionName = r.ID+name, function
			v.EventSourceArn = d.source(event, path)
			w.Mappings = append(w.Mappings, *v)
		case *scheduleEvent:
			w.Schedules = append(w.Schedules, v.schedule(r.ID+name, function))
		}
	}
	if async := f.EventInvokeConfig; async.MaximumRetryAttempts != nil || async.MaximumEventAgeInSeconds != nil {
		async.FunctionName = function
		w.Async = append(w.Async, async)
	}
}

// source gives the ARN that SAM calls Queue or Stream.
func (d *decoder) source(event Event, path string) string {
	var queue queueEvent
	var stream streamEvent
	d.decode(event.Properties.node, reflect.ValueOf(&queue).Elem(), path)
	d.decode(event.Properties.node, reflect.ValueOf(&stream).Elem(), path)
	return queue.Queue + stream.Stream
}

// key is the route key: SAM's method is in any case, "any" or absent for all.
func (e *httpEvent) key() string {
	if e.Path == "" {
		return "$default"
	}
	method := strings.ToUpper(e.Method)
	if method == "" || method == "*" {
		method = "ANY"
	}
	return method + " " + e.Path
}

func (e *scheduleEvent) schedule(id, function string) Schedule {
	if e.Name != "" {
		id = e.Name
	}
	return Schedule{Name: id, Expression: e.Schedule + e.ScheduleExpression, Rule: e.Schedule != "", Timezone: e.ScheduleExpressionTimezone,
		Function: function, Input: e.Input, Disabled: e.State == "DISABLED" || (e.Enabled != nil && !*e.Enabled)}
}
