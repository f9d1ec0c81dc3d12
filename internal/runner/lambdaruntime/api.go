package lambdaruntime

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
)

// api serves the Runtime API of one environment. Every accepted report answers
// 202, because runtimes treat anything else as fatal.
func (e *environment) api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", e.handleNext)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", e.handleResponse)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", e.handleError)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", e.handleInitError)
	return mux
}

func (e *environment) handleNext(w http.ResponseWriter, r *http.Request) {
	e.mu.Lock()
	if !e.started {
		e.started = true
		close(e.ready)
	}
	if e.current != nil {
		close(e.current.next)
		e.current = nil
	}
	e.mu.Unlock()
	select {
	case i := <-e.work:
		e.mu.Lock()
		e.current = i
		e.mu.Unlock()
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Lambda-Runtime-Aws-Request-Id", i.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(i.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", e.function.config.ARN)
		h.Set("Lambda-Runtime-Trace-Id", i.trace)
		_, _ = w.Write(i.payload) // a process that is gone is seen by reap
	case <-r.Context().Done():
	case <-e.exited:
	}
}

// invocation gives the invocation under way if it has that id.
func (e *environment) invocation(w http.ResponseWriter, r *http.Request) *invocation {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.current == nil || e.current.id != r.PathValue("id") {
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "no invocation under way has this id")
		return nil
	}
	return e.current
}

func (e *environment) handleResponse(w http.ResponseWriter, r *http.Request) {
	i := e.invocation(w, r)
	if i == nil {
		return
	}
	limit := int64(MaxPayload)
	if r.Header.Get("Lambda-Runtime-Function-Response-Mode") == "streaming" {
		limit = MaxStreamed
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		i.report(failed("Function.ResponseSizeTooLarge", "Response payload size exceeded maximum allowed payload size ("+strconv.FormatInt(limit, 10)+" bytes)."))
		refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", "the response is over the limit")
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "InvalidResponse", err.Error())
		return
	}
	// A failure in the middle of the answer comes as trailers, which
	// aws-lambda-go declares on every response.
	if kind := r.Trailer.Get("Lambda-Runtime-Function-Error-Type"); kind != "" {
		i.report(streamError(kind, r.Trailer.Get("Lambda-Runtime-Function-Error-Body")))
	} else {
		i.report(Result{Payload: body})
	}
	accept(w)
}

func streamError(kind, encoded string) Result {
	if body, err := base64.StdEncoding.DecodeString(encoded); err == nil && json.Valid(body) {
		return Result{Payload: body, FunctionError: "Unhandled"}
	}
	return failed(kind, "the response broke off")
}

func (e *environment) handleError(w http.ResponseWriter, r *http.Request) {
	i := e.invocation(w, r)
	if i == nil {
		return
	}
	i.report(Result{Payload: errorBody(w, r), FunctionError: "Unhandled"})
	accept(w)
}

func (e *environment) handleInitError(w http.ResponseWriter, r *http.Request) {
	body := errorBody(w, r)
	e.mu.Lock()
	e.initFail = body
	e.mu.Unlock()
	accept(w)
}

// errorBody reads the error document that the runtime reports, or makes one.
func errorBody(w http.ResponseWriter, r *http.Request) []byte {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPayload))
	if err == nil && json.Valid(body) {
		return body
	}
	kind := r.Header.Get("Lambda-Runtime-Function-Error-Type")
	if kind == "" {
		kind = "Runtime.Unknown"
	}
	return failed(kind, "the runtime reported an error without a readable document").Payload
}

func accept(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	_, _ = io.WriteString(w, `{"status":"OK"}`+"\n") // a process that is gone is seen by reap
}

func refuse(w http.ResponseWriter, status int, kind, message string) {
	document, _ := json.Marshal(map[string]string{"errorType": kind, "errorMessage": message}) // strings always encode
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(document) // a process that is gone is seen by reap
}
