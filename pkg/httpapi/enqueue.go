package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// An EnqueueConfig says what Enqueue works with.
type EnqueueConfig struct {
	// Producer makes the jobs. Its tasks that are Public can be enqueued.
	// Required.
	Producer *producer.Producer
	// Gates admit to the queues of the public tasks, by the queue's name. Each
	// of these queues has one.
	Gates map[string]*admission.Gate
	// Secret turns idempotency keys into ids: at least LeastSecret bytes, the
	// same in all processes and for ever; with another secret, keys that were
	// used before are new.
	Secret []byte
	// Limit keeps each client to a rate, before anything else is looked at;
	// nil means none. A request whose Idempotency-Key was accepted before gets
	// its answer however many the client sends: that is one read, and adds
	// nothing.
	Limit *RateLimit
	// RequireKey refuses requests without an Idempotency-Key (400), where every
	// client is to be able to send a request again.
	RequireKey bool
	// KeyDocs is the URL of a page that tells clients about keys; errors about
	// keys then link to it. Default none.
	KeyDocs string
	// Logger is for what clients are not told; default none.
	Logger *slog.Logger
	// Metrics is flushed when a request is answered: the one that the gates and the
	// producer were given (admission.Config.Metrics). Nil flushes nothing.
	Metrics telemetry.Recorder
}

// Enqueue answers POST /jobs/{task}: it makes a job of a public task. Nothing is
// written but the job's row, and nothing at all where it answers an error.
//
// A request with an Idempotency-Key makes one job, however often it is sent, also
// at the same time: for as long as the job's row is kept
// (lifecycle.DoneRetention after its end, DeadRetention where it is dead) the first
// answer is given again. The key is the client's and the route's; the same key
// with other arguments is 422. Requests that were refused claim no key.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
//
// It may be used by many goroutines.
type Enqueue struct {
	endpoint
	config EnqueueConfig
}

// NewEnqueue makes the handler. It reports every mistake in the configuration at
// once.
func NewEnqueue(config EnqueueConfig) (*Enqueue, error) {
	problems := []error{checkSecret(config.Secret), checkDocs(config.KeyDocs)}
	if config.Producer == nil {
		problems = append(problems, errors.New("httpapi: EnqueueConfig.Producer is nil: make it with producer.New"))
	} else {
		for _, d := range config.Producer.Tasks() {
			problems = append(problems, checkPublic(d, config.Gates))
		}
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &Enqueue{endpoint: newEndpoint(config.Logger, http.MethodPost), config: config}, nil
}

func checkPublic(d job.Definition, gates map[string]*admission.Gate) error {
	if !d.Policy.Public {
		return nil
	}
	var problems []error
	if d.Policy.Queue.FIFO {
		problems = append(problems, fmt.Errorf("httpapi: task %q is public and its queue is first-in-first-out: a request over HTTP names no group", d.Name))
	}
	if gates[d.Policy.Queue.Name] == nil {
		problems = append(problems, fmt.Errorf("httpapi: task %q is public and its queue %q has no gate in EnqueueConfig.Gates", d.Name, d.Policy.Queue.Name))
	}
	return errors.Join(problems...)
}

// Handle answers one request.
func (e *Enqueue) Handle(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	defer telemetry.Flush(ctx, e.config.Metrics)
	return e.config.Limit.before(ctx, event, e.endpoint, e.serve, e.again)
}

// An order is a request that was understood.
type order struct {
	task   job.Definition
	args   json.RawMessage
	client string
	// id and fingerprint are set where there was an Idempotency-Key.
	id          job.ID
	fingerprint string
}

func (e *Enqueue) serve(ctx context.Context, r request) (response, error) {
	o, err := e.understand(r)
	if err != nil {
		return response{}, err
	}
	decision := e.config.Gates[o.task.Policy.Queue.Name].AdmitFor(ctx, o.task.Policy)
	noteReading(ctx, e.about(o), r, decision)
	if !decision.Admitted {
		return e.refuse(ctx, r, o, decision)
	}
	options := append(decision.Options(), job.ByClient(o.client))
	if o.id != "" {
		options = append(options, job.WithID(o.id, o.fingerprint))
	}
	rec, _, err := e.config.Producer.Make(ctx, job.Request{Definition: o.task, Arguments: o.args}, options...)
	if errors.Is(err, producer.ErrFull) {
		return e.refuse(ctx, r, o, decision.Refused())
	}
	if err != nil {
		return response{}, e.explain(err)
	}
	e.logger.DebugContext(ctx, "accepted", "request_id", r.id(), "job", string(rec.ID), "task", rec.Task)
	return accepted(rec)
}

// refuse answers for a queue that takes no more. A request that was accepted
// before adds nothing to the queue and gets its answer.
func (e *Enqueue) refuse(ctx context.Context, r request, o order, d admission.Decision) (response, error) {
	if answer, ok, err := e.earlier(ctx, o); ok || err != nil {
		return answer, err
	}
	return response{}, refused(ctx, e.about(o), r, d)
}

// about is for lines of the queue that an order is for.
func (e *Enqueue) about(o order) *slog.Logger {
	return e.logger.With("queue", o.task.Policy.Queue.Name, "task", o.task.Name)
}

// again answers a request that was accepted before, of a client that sends too many;
// ok is false for every other.
func (e *Enqueue) again(ctx context.Context, r request) (answer response, ok bool, err error) {
	if _, keyed := r.header("Idempotency-Key"); !keyed {
		return response{}, false, nil
	}
	o, err := e.understand(r)
	if err != nil {
		return response{}, false, nil // it is told so when it comes within its rate
	}
	return e.earlier(ctx, o)
}

// earlier gives the answer of an order that was accepted before.
func (e *Enqueue) earlier(ctx context.Context, o order) (answer response, ok bool, err error) {
	if o.id == "" {
		return response{}, false, nil
	}
	rec, ok, err := e.config.Producer.Earlier(ctx, o.task.Name, o.id, o.fingerprint)
	if err != nil {
		return response{}, false, e.explain(err)
	}
	if !ok {
		return response{}, false, nil
	}
	answer, err = accepted(rec)
	return answer, true, err
}

func (e *Enqueue) understand(r request) (order, error) {
	name := r.PathParameters["task"]
	task, known := e.config.Producer.Task(name)
	if !known || !task.Policy.Public {
		return order{}, notFound("there is no such task")
	}
	client, err := r.client()
	if err != nil {
		return order{}, err
	}
	body, err := r.json(task.Policy.MaxArguments)
	if err != nil {
		return order{}, err
	}
	args, err := e.arguments(task, body)
	if err != nil {
		return order{}, err
	}
	o := order{task: task, args: args, client: client}
	key, ok, err := e.key(r)
	if err != nil {
		return order{}, err
	}
	if ok {
		o.id = idFor(e.config.Secret, client, "POST /jobs/"+task.Name, key)
		o.fingerprint = fingerprintOf(args)
	}
	return o, nil
}

// key gives the request's Idempotency-Key; ok is false where it has none.
func (e *Enqueue) key(r request) (key string, ok bool, err error) {
	header, ok := r.header("Idempotency-Key")
	if !ok {
		if e.config.RequireKey {
			return "", false, badRequest("idempotency-key-missing", "this operation requires an Idempotency-Key, so that it can be sent again").docs(e.config.KeyDocs)
		}
		return "", false, nil
	}
	if key, err = parseKey(header); err != nil {
		return "", false, badRequest("malformed-idempotency-key", err.Error()).docs(e.config.KeyDocs)
	}
	return key, true, nil
}

// arguments decodes the body as the task's arguments, strictly, has them check
// themselves, and encodes them anew: what is stored is what was understood.
func (e *Enqueue) arguments(task job.Definition, body []byte) (json.RawMessage, error) {
	value, err := payload.DecodeType(body, task.Arguments)
	if err != nil {
		return nil, wrongFields(err)
	}
	args, err := e.config.Producer.Arguments(job.Request{Definition: task, Arguments: value})
	if err != nil {
		return nil, e.explain(err)
	}
	return args, nil
}

func wrongFields(err error) *problem {
	return badRequest("wrong-fields", strings.TrimPrefix(err.Error(), payload.ErrInvalid.Error()+": "))
}

// explain makes a problem of what is the request's fault, and leaves other errors
// as they are.
func (e *Enqueue) explain(err error) error {
	switch {
	case errors.Is(err, producer.ErrArguments):
		return badRequest("wrong-fields", strings.TrimPrefix(err.Error(), producer.ErrArguments.Error()+": "))
	case errors.Is(err, producer.ErrTooLarge):
		return newProblem(http.StatusRequestEntityTooLarge, "too-large", "the arguments are too large; large input goes into object storage, and only its key is sent")
	case errors.Is(err, producer.ErrOtherRequest):
		return newProblem(http.StatusUnprocessableEntity, "idempotency-key-reused", "this Idempotency-Key was used before with other arguments").docs(e.config.KeyDocs)
	}
	return err
}

// accepted is the 202: the same bytes whenever it is given for a job.
func accepted(rec store.Record) (response, error) {
	return respond(http.StatusAccepted, asFirstAnswered(rec), map[string]string{
		"Location": statusURL(rec.ID), "Retry-After": seconds(firstLook), "Cache-Control": "no-store",
	})
}
