package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type (
	request  = events.APIGatewayV2HTTPRequest
	response = events.APIGatewayV2HTTPResponse
)

type resize struct {
	Key  string `json:"key"`
	Page int64  `json:"page,omitzero"`
}

func (r resize) Validate() error {
	if r.Key == "" {
		return errors.New("key is missing")
	}
	if r.Key == "panic" {
		panic("with a secret")
	}
	return nil
}

var photos = job.Queue{Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute}

var (
	resizeTask = job.DefineResult[resize, []string]("photo.resize", job.Policy{Queue: photos, MaxAttempts: 5, Public: true, MaxArguments: 100})
	otherTask  = job.Define[resize]("photo.rotate", job.Policy{Queue: photos, Public: true})
	secretTask = job.Define[resize]("photo.purge", job.Policy{Queue: photos})
)

// driver counts calls and fails when told to. It answers in time, however long the
// machine takes: the API lets a request in that waits for a second.
type driver struct {
	store.Driver
	mu            sync.Mutex
	writes, reads int
	fail          error
}

func (d *driver) Write(ctx context.Context, w store.Write) (store.Item, error) {
	d.count(&d.writes)
	if d.fail != nil {
		return nil, d.fail
	}
	return d.Driver.Write(context.WithoutCancel(ctx), w)
}

func (d *driver) Get(ctx context.Context, key store.Item) (store.Item, error) {
	d.count(&d.reads)
	if d.fail != nil {
		return nil, d.fail
	}
	return d.Driver.Get(context.WithoutCancel(ctx), key)
}

func (d *driver) count(calls *int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	*calls++
}

// presigner notes what it was asked for.
type presigner struct {
	key, contentType string
	length           int64
	life             time.Duration
	fail             error
}

func (p *presigner) PresignPut(_ context.Context, key, contentType string, length int64, life time.Duration) (string, map[string]string, error) {
	p.key, p.contentType, p.length, p.life = key, contentType, length, life
	return "https://bucket.example/" + key + "?X-Amz-Signature=1", map[string]string{"Content-Type": contentType, "If-None-Match": "*"}, p.fail
}

// api is the whole HTTP API over rows in memory.
type api struct {
	t       testing.TB
	now     time.Time
	depth   int
	driver  *driver
	jobs    *store.Jobs
	put     *presigner
	log     *bytes.Buffer
	enqueue *httpapi.Enqueue
	status  *httpapi.Status
	cancel  *httpapi.Cancel
	uploads *httpapi.Uploads
}

func newAPI(t testing.TB, edits ...func(*httpapi.EnqueueConfig)) *api {
	t.Helper()
	a := &api{
		t: t, now: time.Date(2026, 11, 29, 16, 20, 0, 123_000_000, time.UTC),
		driver: &driver{Driver: memstore.New(memstore.Config{})}, put: &presigner{}, log: &bytes.Buffer{},
	}
	clock := func() time.Time { return a.now }
	logger := slog.New(slog.NewTextHandler(a.log, nil))
	var problems [7]error
	a.jobs, problems[0] = store.New(store.Config{Driver: a.driver, Now: clock})
	gate, err := admission.New(admission.Config{
		Queue: "photos", Limit: 100, DrainRate: 1, Refresh: time.Nanosecond, Settle: time.Nanosecond, Doubt: -1,
		Depth: func(context.Context) (int, error) { return a.depth, nil }, Random: func() float64 { return 0 },
	})
	problems[1] = err
	p, err := producer.New(producer.Config{Jobs: a.jobs, Now: clock}, resizeTask, otherTask, secretTask)
	problems[2] = err
	enqueue := httpapi.EnqueueConfig{
		Producer: p, Gates: map[string]*admission.Gate{"photos": gate},
		Secret: []byte("sixteen bytes or more"), Logger: logger,
	}
	for _, edit := range edits {
		edit(&enqueue)
	}
	a.enqueue, problems[3] = httpapi.NewEnqueue(enqueue)
	config := httpapi.JobsConfig{Jobs: a.jobs, Now: clock, Logger: logger}
	a.status, problems[4] = httpapi.NewStatus(config)
	a.cancel, problems[5] = httpapi.NewCancel(config)
	a.uploads, problems[6] = httpapi.NewUploads(httpapi.UploadsConfig{Presigner: a.put, Gate: gate, Now: clock, Logger: logger})
	if err := errors.Join(problems[:]...); err != nil {
		t.Fatal(err)
	}
	return a
}

// event reads a fixture, changed by the given functions.
func event(t testing.TB, name string, changes ...func(*request)) request {
	t.Helper()
	data, err := os.ReadFile("../../events/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var r request
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil {
		t.Fatalf("events/%s.json: %v", name, err)
	}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func body(text string) func(*request) { return func(r *request) { r.Body = text } }

func header(name, value string) func(*request) {
	return func(r *request) { r.Headers[name] = value }
}

func without(name string) func(*request) {
	return func(r *request) { delete(r.Headers, name) }
}

func path(name, value string) func(*request) {
	return func(r *request) { r.PathParameters[name] = value }
}

func method(name string) func(*request) {
	return func(r *request) { r.RequestContext.HTTP.Method = name }
}

// by makes a request that of a JWT's subject.
func by(subject string) func(*request) {
	return func(r *request) {
		r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
			JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"sub": subject}},
		}
	}
}

func (a *api) send(handle func(context.Context, request) (response, error), r request) response {
	a.t.Helper()
	answer, err := handle(a.t.Context(), r)
	if err != nil {
		a.t.Fatalf("a handler must answer for itself: %v", err)
	}
	return answer
}

// accept enqueues by the fixture and gives the job's id.
func (a *api) accept(changes ...func(*request)) job.ID {
	a.t.Helper()
	answer := a.send(a.enqueue.Handle, event(a.t, "enqueue", changes...))
	if answer.StatusCode != 202 {
		a.t.Fatalf("%d %s", answer.StatusCode, answer.Body)
	}
	return job.ID(strings.TrimPrefix(answer.Headers["Location"], "/jobs/"))
}

// run claims a job, and ends it if there is an outcome.
func (a *api) run(id job.ID, outcome lifecycle.Outcome) {
	a.t.Helper()
	claim, err := a.jobs.Claim(a.t.Context(), id, store.Lease{Token: "token", Until: a.now.Add(time.Minute)})
	if err != nil || !claim.Granted {
		a.t.Fatalf("claiming: %v %v", err, claim.Finding)
	}
	if outcome.To == "" {
		return
	}
	if _, err := a.jobs.Finish(a.t.Context(), claim.Record, outcome); err != nil {
		a.t.Fatal(err)
	}
}

func decode[T any](t testing.TB, text string) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return value
}

// isProblem checks an RFC 9457 answer.
func isProblem(t testing.TB, r request, answer response, status int) {
	t.Helper()
	p := decode[map[string]any](t, answer.Body)
	if answer.StatusCode != status || p["status"] != float64(status) || answer.Headers["Content-Type"] != "application/problem+json" {
		t.Errorf("%d instead of %d: %v %s", answer.StatusCode, status, answer.Headers, answer.Body)
	}
	if kind, _ := p["type"].(string); !strings.HasPrefix(kind, httpapi.ProblemPrefix) || p["title"] == "" || p["detail"] == "" {
		t.Errorf("type, title or detail is missing: %s", answer.Body)
	}
	if p["request_id"] != r.RequestContext.RequestID || p["instance"] != r.RawPath {
		t.Errorf("it can't be found in the logs: %s", answer.Body)
	}
	if answer.Headers["Cache-Control"] != "no-store" {
		t.Errorf("it may be stored: %v", answer.Headers)
	}
}
