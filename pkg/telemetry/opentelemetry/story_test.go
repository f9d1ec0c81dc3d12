package opentelemetry_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/outbox"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
	"github.com/nightshift-go/nightshift/pkg/telemetry/opentelemetry"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

type photo struct {
	Key string `json:"key"`
}

func queueNamed(name string) job.Queue {
	return job.Queue{Name: name, PeakArrivals: 20, ServiceTime: time.Second, LongestWait: 10 * time.Minute, Batch: 10}
}

var (
	resize   = job.Define[photo]("photo.resize", job.Policy{Queue: queueNamed("photos"), Public: true})
	tell     = job.Define[photo]("owner.tell", job.Policy{Queue: queueNamed("mails")})
	tidy     = job.Define[photo]("photo.tidy", job.Policy{Queue: queueNamed("tidying")})
	gallery  = job.Topic{Name: "gallery"}
	resized  = job.DefineEvent[photo]("photo.resized", gallery)
	indexing = job.On(resized, job.Define[photo]("photo.index", job.Policy{Queue: queueNamed("search")}))
)

// A stack whose spans are kept in memory.
type stack struct {
	*testing.T
	kit     *nightshifttest.Kit
	spans   *tracetest.InMemoryExporter
	enqueue *httpapi.Enqueue
	mu      sync.Mutex
	// seen is what handlers found in their contexts, by the task's name.
	seen map[string]telemetry.Run
}

// newStack has a task over HTTP, whose handler enqueues a second one and publishes an event, to
// which a third is subscribed; a fourth follows the first.
func newStack(t *testing.T) *stack {
	s := &stack{T: t, spans: tracetest.NewInMemoryExporter(), seen: map[string]telemetry.Run{}}
	s.kit = nightshifttest.New(t, nightshifttest.Config{
		Tracer: opentelemetry.NewTracer(sdk.NewTracerProvider(sdk.WithSyncer(s.spans))), Topics: []job.Topic{gallery}, Batches: true,
	}, resize, tell, tidy, indexing.Task())
	note := func(ctx context.Context) {
		run, _ := telemetry.RunFrom(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.seen[run.Task] = run
	}
	s.kit.Serve(
		worker.Handle(resize, func(ctx context.Context, j *job.Job[photo]) error {
			note(ctx)
			if _, err := s.kit.Producer.Enqueue(ctx, tell.With(j.Args)); err != nil {
				return err
			}
			return s.kit.Outbox.Transact(ctx, outbox.Publish(resized.With(j.Args.Key, j.Args)))
		}),
		worker.Handle(tell, func(ctx context.Context, _ *job.Job[photo]) error { note(ctx); return nil }),
		worker.Handle(tidy, func(ctx context.Context, _ *job.Job[photo]) error { note(ctx); return nil }),
		worker.On(indexing, func(ctx context.Context, _ *job.Job[photo]) error { note(ctx); return nil }),
	)
	gate, err := admission.New(admission.Config{Queue: "photos", Limit: 100, DrainRate: 10, Depth: func(context.Context) (int, error) { return 0, nil }})
	if err != nil {
		t.Fatal(err)
	}
	s.enqueue, err = httpapi.NewEnqueue(httpapi.EnqueueConfig{
		Producer: s.kit.Producer, Gates: map[string]*admission.Gate{"photos": gate}, Secret: []byte("sixteen bytes or more"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// post asks for a job over HTTP, within a trace.
func (s *stack) post(key, traceparent string) {
	s.Helper()
	request := events.APIGatewayV2HTTPRequest{
		Headers:        map[string]string{"content-type": "application/json", "traceparent": traceparent, "tracestate": "rojo=1"},
		PathParameters: map[string]string{"task": "photo.resize"}, Body: fmt.Sprintf(`{"key":%q}`, key),
	}
	request.RequestContext.HTTP.Method = "POST"
	answer, err := s.enqueue.Handle(s.Context(), request)
	if err != nil || answer.StatusCode != 202 {
		s.Fatalf("%d %s, %v", answer.StatusCode, answer.Body, err)
	}
}

// of gives the spans of a trace, by their names.
func (s *stack) of(trace string) map[string]tracetest.SpanStub {
	found := map[string]tracetest.SpanStub{}
	for _, span := range s.spans.GetSpans() {
		if span.SpanContext.TraceID().String() == trace {
			found[span.Name] = span
		}
	}
	return found
}

// From a request through row, stream, message and handler to what follows from it, one
// trace tells the whole story.
func TestOneTraceTellsTheStory(t *testing.T) {
	const traceID, caller = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
	s := newStack(t)
	s.post("a.jpg", "00-"+traceID+"-"+caller+"-01")
	s.kit.Drain(t.Context())

	spans := s.of(traceID)
	if all := s.spans.GetSpans(); len(all) != len(spans) {
		t.Errorf("%d of %d spans are in the trace", len(spans), len(all))
	}
	parents := map[string]string{
		"create photos": caller, "send photos": "create photos", "process photos": "create photos",
		"create mails": "process photos", "send mails": "create mails", "process mails": "create mails",
		"process search": "process photos", // by way of the event
	}
	for name, parent := range parents {
		span, ok := spans[name]
		if p, known := spans[parent]; known {
			parent = p.SpanContext.SpanID().String()
		}
		if !ok || span.Parent.SpanID().String() != parent {
			t.Errorf("%s: there %v, its parent is %s, want %s", name, ok, span.Parent.SpanID(), parent)
		}
	}
	if len(spans) != len(parents) {
		t.Errorf("%d spans, want %d", len(spans), len(parents))
	}
	for name, creation := range map[string]string{"process photos": "create photos", "process mails": "create mails", "process search": "process photos"} {
		links := spans[name].Links
		if len(links) != 1 || links[0].SpanContext.SpanID() != spans[creation].SpanContext.SpanID() || spans[name].SpanContext.TraceState().Get("rojo") != "1" {
			t.Errorf("%s has the links %v", name, links)
		}
	}
	// What handlers find in their contexts is the span that was made of their run.
	for task, queue := range map[string]string{"photo.resize": "photos", "owner.tell": "mails", "photo.index": "search"} {
		run := s.seen[task]
		want := spans["process "+queue].SpanContext
		if run.Queue != queue || run.Attempt != 1 || run.Job == "" || run.Trace.Traceparent() != "00-"+want.TraceID().String()+"-"+want.SpanID().String()+"-01" {
			t.Errorf("%s found %+v", task, run)
		}
	}
}

// A follow-up is of the trace of what it follows.
func TestFollowUpsAreOfTheTrace(t *testing.T) {
	const traceID = "4bf92f3577b34da6a3ce929d0e0e4736"
	s := newStack(t)
	came, _ := telemetry.ParseTrace("00-" + traceID + "-00f067aa0ba902b7-01")
	if _, err := s.kit.Producer.Enqueue(telemetry.WithTrace(t.Context(), came), tell.With(photo{Key: "a"}), job.Then(tidy.With(photo{Key: "b"}))); err != nil {
		t.Fatal(err)
	}
	s.kit.Drain(t.Context())
	spans := s.of(traceID)
	follows := spans["process tidying"]
	if len(spans) != 5 || follows.Parent.SpanID() != spans["process mails"].SpanContext.SpanID() {
		t.Errorf("%d spans, and the follow-up's parent is %s", len(spans), follows.Parent.SpanID())
	}
}

// Messages of several requests that are sent, and handled, together stay in their own traces;
// what is done for all of them is linked to each.
func TestBatchesHaveLinks(t *testing.T) {
	traces := []string{strings.Repeat("a", 32), strings.Repeat("b", 32), strings.Repeat("c", 32)}
	s := newStack(t)
	for _, trace := range traces {
		s.post(trace[:1]+".jpg", "00-"+trace+"-00f067aa0ba902b7-01")
	}
	s.kit.Drain(t.Context())
	var creations []string
	for _, trace := range traces {
		spans := s.of(trace)
		creation := spans["create photos"].SpanContext.SpanID()
		creations = append(creations, creation.String())
		run := spans["process photos"]
		if run.Parent.SpanID() != creation || len(run.Links) != 1 || run.Links[0].SpanContext.SpanID() != creation {
			t.Errorf("the run in %s: parent %s, links %v; want %s", trace, run.Parent.SpanID(), run.Links, creation)
		}
		if spans["process mails"].Name == "" || spans["process search"].Name == "" {
			t.Errorf("what follows in %s is of another trace", trace)
		}
	}
	for _, span := range s.spans.GetSpans() {
		if span.Name != "send photos" {
			continue
		}
		var links []string
		for _, l := range span.Links {
			links = append(links, l.SpanContext.SpanID().String())
		}
		set := attribute.NewSet(span.Attributes...)
		if n, _ := set.Value("messaging.batch.message_count"); !slices.Equal(links, creations) || n.AsInt64() != 3 || span.Parent.IsValid() {
			t.Errorf("%d messages were sent with links %v to %v", n.AsInt64(), links, creations)
		}
		return
	}
	t.Error("nothing was sent")
}
