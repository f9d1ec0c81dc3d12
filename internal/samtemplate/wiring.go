package samtemplate

import (
	"fmt"
	"reflect"
	"sort"
	"strings"
)

// Wiring is all that a template connects to functions, whether as resources of
// their own or as Events of a SAM function.
type Wiring struct {
	Mappings  []Mapping
	Routes    []Route
	Schedules []Schedule
	Async     []AsyncSettings
	// CORS is the HTTP API's CORS configuration; nil without one.
	CORS *CORS
	// API is the logical id of the HTTP API; "" where routes come without one.
	API string
}

// A Mapping is an event source mapping. Names and units are Lambda's; nil means
// Lambda's default.
// https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html
type Mapping struct {
	// ID is the logical id, or function and event name joined.
	ID string `cfn:"-"`

	// FunctionName is a function's name or ARN.
	FunctionName                   string
	EventSourceArn                 string
	Enabled                        *bool
	BatchSize                      *int
	MaximumBatchingWindowInSeconds int
	FunctionResponseTypes          []string
	FilterCriteria                 struct{ Filters []struct{ Pattern string } }
	ScalingConfig                  struct{ MaximumConcurrency *int }

	StartingPosition           string
	BisectBatchOnFunctionError bool
	MaximumRetryAttempts       *int
	MaximumRecordAgeInSeconds  *int
	ParallelizationFactor      int
	DestinationConfig          struct{ OnFailure struct{ Destination string } }
}

// A Route sends requests to a function.
type Route struct {
	// Key is "GET /jobs/{id}" or "$default".
	Key string
	// Function is a function's name or ARN.
	Function string
	// TimeoutMillis is the integration's timeout; zero means 30 seconds.
	TimeoutMillis int
}

// A Schedule invokes a function at times.
type Schedule struct {
	// Name is the schedule's name.
	Name string
	// Expression is rate(…), cron(…) or at(…).
	Expression string
	// Timezone is an IANA name; "" means UTC.
	Timezone string
	// Rule schedules are EventBridge's scheduled rules, with rules of their own.
	Rule bool
	// Start and End bound the occurrences: RFC 3339, "" means no bound.
	Start, End string
	// Function is a function's name or ARN; it may be the ARN of a queue.
	Function string
	// Input is the event; "" means the service's default event.
	Input string
	// Group is the message group where the target is a FIFO queue.
	Group string
	// Retries and MaximumAge (in seconds) say how long an unreachable target is
	// tried; nil means the service's defaults.
	Retries, MaximumAge *int
	// DeadLetters is the ARN of the queue for what can't be delivered; "" means
	// none.
	DeadLetters string
	// Disabled schedules do not run.
	Disabled bool
}

type route struct {
	ApiID    string `cfn:"ApiId"`
	RouteKey string
	Target   string
}

type integration struct {
	ApiID                string `cfn:"ApiId"`
	IntegrationURI       string `cfn:"IntegrationUri"`
	IntegrationType      string
	PayloadFormatVersion string
	TimeoutInMillis      int
}

type schedule struct {
	Name                       string
	ScheduleExpression         string
	ScheduleExpressionTimezone string
	StartDate, EndDate         string
	State                      string
	Target                     struct {
		Arn, Input  string
		RetryPolicy struct {
			MaximumRetryAttempts, MaximumEventAgeInSeconds *int
		}
		DeadLetterConfig struct{ Arn string }
		SqsParameters    struct {
			MessageGroupID string `cfn:"MessageGroupId"`
		}
	}
}

// Wiring resolves what is connected to functions. Every function, table, queue
// and API must be in the scope, integrations by their "Ref".
func (t *Template) Wiring(s *Scope) (*Wiring, error) {
	w, d := &Wiring{}, t.decoder(s)
	integrations := map[string]integration{}
	for _, r := range t.Resources {
		if active, err := t.Active(r, s); err != nil {
			return nil, err
		} else if !active {
			continue
		}
		into := prototype(r.Type)
		switch into.(type) {
		case *Queue, *Table, *Bucket, *Secret:
			continue // created earlier, connected by others
		}
		d.decode(r.properties, reflect.ValueOf(into).Elem(), r.ID)
		switch v := into.(type) {
		case *Function:
			d.functionEvents(w, r, v)
		case *API:
			w.API = r.ID
			d.decode(v.CorsConfiguration.node, reflect.ValueOf(&w.CORS).Elem(), r.ID+".CorsConfiguration")
		case *integration:
			integrations[s.Get(r.ID, "Ref")] = *v
		case *route:
			d.route(w, r, v, integrations)
		case *Mapping:
			v.ID = r.ID
			w.Mappings = append(w.Mappings, *v)
		case *AsyncSettings:
			w.Async = append(w.Async, *v)
		case *schedule:
			w.Schedules = append(w.Schedules, v.schedule(r.ID))
		}
	}
	if err := d.err(); err != nil {
		return nil, fmt.Errorf("samtemplate: %w", err)
	}
	return w, nil
}

// route joins a route with its integration. The template's order guarantees
// that the integration, to which the route's Target refers, came first.
func (d *decoder) route(w *Wiring, r *Resource, v *route, integrations map[string]integration) {
	i, ok := integrations[strings.TrimPrefix(v.Target, "integrations/")]
	switch {
	case !ok:
		d.report(r.Line, "route %s has no integration in this template (Target %q)", r.ID, v.Target)
	case i.PayloadFormatVersion != "" && i.PayloadFormatVersion != "2.0":
		d.report(r.Line, "route %s: only the payload format 2.0 is supported, not %s", r.ID, i.PayloadFormatVersion)
	default:
		w.Routes = append(w.Routes, Route{Key: v.RouteKey, Function: functionOf(i.IntegrationURI), TimeoutMillis: i.TimeoutInMillis})
	}
}

// functionOf takes a function's ARN out of an integration URI of the form
// arn:aws:apigateway:region:lambda:path/2015-03-31/functions/ARN/invocations.
func functionOf(uri string) string {
	if _, after, ok := strings.Cut(uri, "/functions/"); ok {
		uri, _, _ = strings.Cut(after, "/invocations")
	}
	return uri
}

func (v *schedule) schedule(id string) Schedule {
	name := v.Name
	if name == "" {
		name = id
	}
	return Schedule{Name: name, Expression: v.ScheduleExpression, Timezone: v.ScheduleExpressionTimezone, Start: v.StartDate, End: v.EndDate,
		Function: v.Target.Arn, Input: v.Target.Input, Group: v.Target.SqsParameters.MessageGroupID, Disabled: v.State == "DISABLED", DeadLetters: v.Target.DeadLetterConfig.Arn,
		Retries: v.Target.RetryPolicy.MaximumRetryAttempts, MaximumAge: v.Target.RetryPolicy.MaximumEventAgeInSeconds}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
