package wire

import (
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// limits is the table where limits are counted: that of the jobs.
func (e *Env) limits() store.Driver {
	return dynamo.New(dynamodb.NewFromConfig(e.AWS), e.Settings.Required(settings.Table))
}

// RateLimit keeps clients of the API to a rate, the same one whatever they ask for:
// readers who are signed in, where sessions tell, and others by their address.
func (e *Env) RateLimit(signed *sessions.Sessions) (*httpapi.RateLimit, error) {
	config := httpapi.RateLimitConfig{
		Driver: e.limits(), Name: "crumb", CountLoopback: e.Settings.Switch(settings.CountLoopback), Now: e.Now, Logger: e.Logger,
	}
	if signed != nil {
		config.Client = func(event events.APIGatewayV2HTTPRequest) string {
			header := http.Header{"Cookie": {strings.Join(event.Cookies, "; ")}}
			reader, _ := signed.Reader(&http.Request{Header: header})
			return reader
		}
	}
	return httpapi.NewRateLimit(config)
}

// Tries counts tries to sign in.
func (e *Env) Tries() (*readers.Tries, error) {
	return readers.NewTries(readers.TriesConfig{Driver: e.limits(), Now: e.Now, Logger: e.Logger})
}
