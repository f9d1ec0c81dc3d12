package runner

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/nightshift-go/nightshift/internal/runner/lambdaruntime"
)

// controlPath is where the stack's own pages are, beside the HTTP API.
const controlPath = "/_nightshift/"

//go:embed console
var console embed.FS

// ErrNoFunction means that the template has no function of a name.
var ErrNoFunction = errors.New("no such function")

// Invoke runs a function once, named by logical id, folder, name or ARN.
func (s *Stack) Invoke(ctx context.Context, function string, payload []byte) (lambdaruntime.Result, error) {
	f, err := s.named(function)
	if err != nil {
		return lambdaruntime.Result{}, fmt.Errorf("runner: %w", err)
	}
	return f.Invoke(ctx, payload)
}

// Kill ends one process of a function, named as in Invoke, or of a service, named by
// logical id or folder, with SIGKILL. choose is given how many there are, and says
// which. false means that there was none.
func (s *Stack) Kill(function string, choose func(n int) int) (bool, error) {
	if service := s.service(function); service != nil {
		return service.kill(choose)
	}
	f, err := s.named(function)
	if err != nil {
		return false, fmt.Errorf("runner: %w", err)
	}
	return f.Kill(choose)
}

// named finds a function, or says which there are.
func (s *Stack) named(name string) (*function, error) {
	if f := s.function(name); f != nil {
		return f, nil
	}
	return nil, fmt.Errorf("%w: %q; there are %s", ErrNoFunction, name, strings.Join(folders(s.functions), ", "))
}

func folders(functions []*function) []string {
	all := make([]string, len(functions))
	for i, f := range functions {
		all[i] = f.Folder
	}
	return all
}

// exceptControl sends the control paths to one handler and all else to another,
// without ServeMux's rewriting of paths for the latter.
func exceptControl(control, rest http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == strings.TrimSuffix(controlPath, "/") || strings.HasPrefix(r.URL.Path, controlPath) {
			control.ServeHTTP(w, r)
			return
		}
		rest.ServeHTTP(w, r)
	})
}

// control serves the console, the state, the mail that was sent and Lambda's Invoke
// call.
func (s *Stack) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+controlPath+"{$}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, console, "console/page.html")
	})
	for _, name := range []string{"page.css", "page.js"} {
		mux.HandleFunc("GET "+controlPath+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFileFS(w, r, console, "console/"+name)
		})
	}
	mux.HandleFunc("GET "+controlPath+"topics", s.serveTopics)
	mux.HandleFunc("GET "+controlPath+"table", s.serveTable)
	mux.HandleFunc("GET "+controlPath+"queues", s.serveQueues)
	mux.HandleFunc("GET "+controlPath+"state", s.serveState)
	mux.HandleFunc("GET "+controlPath+"clock", s.serveClock)
	mux.HandleFunc("GET "+controlPath+"clock/busy", s.serveBusy)
	if s.endpoint != nil {
		mux.Handle(controlPath+"mail", s.endpoint.Mailbox())
		mux.Handle(controlPath+"mail/", s.endpoint.Mailbox())
	}
	mux.HandleFunc("POST "+controlPath+"2015-03-31/functions/{name}/invocations", s.serveInvoke)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.trusted(r) {
			refuse(w, http.StatusForbidden, "AccessDeniedException", "only pages of this stack may ask")
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// trusted keeps pages of other sites, which a browser may show beside this
// stack, from driving it: they come with another Origin, or with a Host name
// that was made to point here.
func (s *Stack) trusted(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if !s.config.AllowRemote && !isLoopback(strings.Trim(host, "[]")) {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host == r.Host
}

// serveInvoke answers Lambda's Invoke call.
// https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
func (s *Stack) serveInvoke(w http.ResponseWriter, r *http.Request) {
	f, err := s.named(r.PathValue("name"))
	if err != nil {
		refuse(w, http.StatusNotFound, "ResourceNotFoundException", err.Error())
		return
	}
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, lambdaruntime.MaxPayload+1))
	if err != nil {
		invokeError(w, fmt.Errorf("%w: %w", lambdaruntime.ErrTooLarge, err))
		return
	}
	if len(payload) > 0 && !json.Valid(payload) {
		refuse(w, http.StatusBadRequest, "InvalidRequestContentException", "the payload is not JSON")
		return
	}
	switch kind := r.Header.Get("X-Amz-Invocation-Type"); kind {
	case "", "RequestResponse":
		result, err := f.Invoke(r.Context(), payload)
		if err != nil {
			invokeError(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Amz-Executed-Version", "$LATEST")
		w.Header().Set("X-Amzn-Requestid", result.RequestID)
		if result.FunctionError != "" {
			w.Header().Set("X-Amz-Function-Error", result.FunctionError)
		}
		_, _ = w.Write(result.Payload) // the client is gone: nobody is left to tell
	case "Event":
		if err := f.InvokeAsync(payload); err != nil {
			invokeError(w, err)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	case "DryRun":
		w.WriteHeader(http.StatusNoContent)
	default:
		refuse(w, http.StatusBadRequest, "InvalidParameterValueException", fmt.Sprintf("the invocation type %q", kind))
	}
}

func invokeError(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, lambdaruntime.ErrThrottled):
		refuse(w, http.StatusTooManyRequests, "TooManyRequestsException", "Rate Exceeded.")
	case errors.Is(err, lambdaruntime.ErrTooLarge):
		refuse(w, http.StatusRequestEntityTooLarge, "RequestTooLargeException", err.Error())
	default:
		refuse(w, http.StatusInternalServerError, "ServiceException", err.Error())
	}
}

// refuse answers with an error in the shape of Lambda's API.
func refuse(w http.ResponseWriter, status int, kind, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", kind)
	w.WriteHeader(status)
	body, _ := json.Marshal(map[string]string{"Type": "User", "message": message}) // strings always encode
	_, _ = w.Write(body)                                                           // the client is gone: nobody is left to tell
}
