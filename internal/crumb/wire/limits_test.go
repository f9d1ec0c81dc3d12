package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

// Requests of the machine itself are counted where the setting says so.
func TestRequestsOfTheMachine(t *testing.T) {
	var asked atomic.Int32
	table := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusBadRequest)
	}))
	defer table.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_ENDPOINT_URL", table.URL)
	for value, counted := range map[string]bool{"": false, "false": false, "true": true} {
		env := load(t, map[string]string{settings.Table: "jobs", settings.CountLoopback: value})
		limit, err := env.RateLimit(nil)
		if err != nil || env.Err() != nil {
			t.Fatal(err, env.Err())
		}
		asked.Store(0)
		request := events.APIGatewayV2HTTPRequest{}
		request.RequestContext.HTTP.SourceIP = "127.0.0.1"
		answer, err := limit.Handler(func(context.Context, events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
			return events.APIGatewayV2HTTPResponse{StatusCode: http.StatusOK}, nil
		})(t.Context(), request)
		if err != nil || answer.StatusCode != http.StatusOK || (asked.Load() > 0) != counted {
			t.Errorf("%q: the table was asked %d times; %d, %v", value, asked.Load(), answer.StatusCode, err)
		}
	}
	env := load(t, map[string]string{settings.Table: "jobs", settings.CountLoopback: "maybe"})
	if _, err := env.RateLimit(nil); err != nil || env.Err() == nil {
		t.Errorf("a setting that is none: %v, %v", err, env.Err())
	}
}
