package client_test

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/client"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/producer"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

type resize struct {
	Key string `json:"key"`
}

var task = job.DefineResult[resize, []string]("photo.resize", job.Policy{Public: true, Queue: job.Queue{
	Name: "photos", PeakArrivals: 20, ServiceTime: 3 * time.Second, LongestWait: 10 * time.Minute,
}})

type handle = func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error)

// gateway is as much of API Gateway as the client needs.
func gateway(t *testing.T, parameter string, h handle) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		var event events.APIGatewayV2HTTPRequest
		event.RawPath, event.Body, event.Headers = r.URL.Path, string(body), map[string]string{}
		event.RequestContext.HTTP.Method, event.RequestContext.RequestID = r.Method, "request"
		for name, values := range r.Header {
			event.Headers[strings.ToLower(name)] = strings.Join(values, ",")
		}
		event.PathParameters = map[string]string{parameter: r.PathValue(parameter)}
		answer, err := h(r.Context(), event)
		if err != nil {
			t.Error(err)
		}
		for name := range maps.Keys(answer.Headers) {
			w.Header().Set(name, answer.Headers[name])
		}
		w.WriteHeader(answer.StatusCode)
		if _, err := io.WriteString(w, answer.Body); err != nil {
			t.Error(err)
		}
	}
}

// serve runs the HTTP API and gives its jobs. depth is that of its queue.
func serve(t *testing.T, depth *int) (*store.Jobs, string) {
	t.Helper()
	jobs, err1 := store.New(store.Config{Driver: memstore.New(memstore.Config{})})
	p, err2 := producer.New(producer.Config{Jobs: jobs}, task)
	gate, err3 := admission.New(admission.Config{Queue: "photos", Limit: 100, DrainRate: 1, Refresh: time.Nanosecond, Doubt: -1,
		Depth: func(context.Context) (int, error) { return *depth, nil }})
	enqueue, err4 := httpapi.NewEnqueue(httpapi.EnqueueConfig{
		Producer: p, Gates: map[string]*admission.Gate{"photos": gate}, Secret: []byte("sixteen bytes or more"),
	})
	status, err5 := httpapi.NewStatus(httpapi.JobsConfig{Jobs: jobs})
	cancel, err6 := httpapi.NewCancel(httpapi.JobsConfig{Jobs: jobs})
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("POST /jobs/{task}", gateway(t, "task", enqueue.Handle))
	mux.Handle("GET /jobs/{id}", gateway(t, "id", status.Handle))
	mux.Handle("DELETE /jobs/{id}", gateway(t, "id", cancel.Handle))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return jobs, server.URL
}

func TestTheClientAndTheAPIAgree(t *testing.T) {
	depth := 0
	jobs, url := serve(t, &depth)
	var id job.ID
	sleeps := 0
	c, err := client.New(client.Config{URL: url, Sleep: func(ctx context.Context, d time.Duration) error {
		sleeps++
		if d < time.Second {
			t.Errorf("a wait of %v: the server asked for more", d)
		}
		switch sleeps {
		case 1: // between two looks: a worker is done with it
			claim, err := jobs.Claim(ctx, id, store.Lease{Token: "token", Until: time.Now().Add(time.Minute)})
			if err != nil || !claim.Granted {
				t.Errorf("claiming: %v %v", claim, err)
			}
			if _, err := jobs.Finish(ctx, claim.Record, lifecycle.Outcome{To: lifecycle.Done, Result: []string{"small"}}); err != nil {
				t.Error(err)
			}
		case 2: // after a 503: there is room again
			depth = 0
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	j, err := c.Enqueue(t.Context(), "photo.resize", resize{Key: "k"}, client.Key("one"))
	if err != nil || j.State != "queued" || j.MaxAttempts != job.DefaultMaxAttempts {
		t.Fatalf("%+v %v", j, err)
	}
	id = j.ID
	if j, err = c.Wait(t.Context(), id); err != nil || string(j.Result) != `["small"]` || j.Attempts != 1 || j.FinishedAt.IsZero() {
		t.Errorf("%+v %v", j, err)
	}
	var e *client.ResponseError
	if _, err := c.Cancel(t.Context(), id); !errors.As(err, &e) || e.Status != 409 || e.Type != httpapi.ProblemPrefix+"finished" || e.RequestID != "request" {
		t.Errorf("cancelling what is done: %v", err)
	}
	if _, err := c.Enqueue(t.Context(), "photo.resize", resize{Key: "other"}, client.Key("one")); !errors.As(err, &e) || e.Status != 422 {
		t.Errorf("the same key, other arguments: %v", err)
	}

	depth = 200
	if j, err = c.Enqueue(t.Context(), "photo.resize", resize{Key: "later"}); err != nil || sleeps != 2 {
		t.Fatalf("%+v %v after %d waits", j, err, sleeps)
	}
	if j, err = c.Cancel(t.Context(), j.ID); err != nil || j.State != "cancelled" {
		t.Errorf("%+v %v", j, err)
	}
	if j, err = c.Status(t.Context(), j.ID); err != nil || j.State != "cancelled" {
		t.Errorf("%+v %v", j, err)
	}
}
