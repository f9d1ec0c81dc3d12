package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// prefix is the path of the mappings.
const prefix = "/2015-03-31/event-source-mappings"

// maxBody bounds what is read of a request, in bytes.
const maxBody = 1 << 20

// An operation is what a request can ask for.
type operation struct {
	run    func(*DB, context.Context, call) (any, error)
	status int
}

var operations = map[string]operation{
	"GetEventSourceMapping":    {(*DB).get, http.StatusOK},
	"ListEventSourceMappings":  {(*DB).list, http.StatusOK},
	"UpdateEventSourceMapping": {(*DB).change, http.StatusAccepted},
}

// names of operations by method and whether a mapping is named.
var routes = map[string]string{
	"GET": "ListEventSourceMappings", "POST": "CreateEventSourceMapping",
	"GET /": "GetEventSourceMapping", "PUT /": "UpdateEventSourceMapping", "DELETE /": "DeleteEventSourceMapping",
}

// A call is one request, taken apart.
type call struct {
	uuid  string
	query func(name string) string
	body  []byte
}

// Operation gives the name of the operation that a request calls, by AWS's names.
func Operation(r *http.Request) string {
	if rest, ok := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/"), prefix); ok {
		route := r.Method
		if rest != "" {
			route += " /"
		}
		if name, ok := routes[route]; ok {
			return name
		}
	}
	return r.Method + " " + r.URL.Path
}

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := Operation(r)
	asked, ok := operations[name]
	if !ok {
		Write(w, &Error{"UnknownOperationException", "Lambda: the local endpoint does not support the operation " + name + ".", http.StatusNotImplemented})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		Write(w, &Error{"InvalidRequestContentException", "Could not read the request: " + err.Error(), http.StatusBadRequest})
		return
	}
	uuid := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(r.URL.Path, "/"), prefix), "/")
	result, err := asked.run(db, r.Context(), call{uuid, r.URL.Query().Get, body})
	if err != nil {
		Write(w, err)
		return
	}
	answer(w, asked.status, result)
}

// decode reads a body strictly.
func (c call) decode(into any) error {
	if len(c.body) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(c.body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return &Error{"InvalidRequestContentException", fmt.Sprintf("The local endpoint does not take this request: %v.", err), http.StatusBadRequest}
	}
	return nil
}

// An Error is a refusal in AWS's shape.
type Error struct {
	// Code is the error's name: "ResourceInUseException".
	Code string
	// Message is for people.
	Message string
	// Status is the HTTP status.
	Status int
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func invalid(format string, args ...any) *Error {
	return &Error{"ValidationException", fmt.Sprintf(format, args...), http.StatusBadRequest}
}

func invalidParameter(message string) *Error {
	return &Error{"InvalidParameterValueException", message, http.StatusBadRequest}
}

func inUse(message string) *Error {
	return &Error{"ResourceInUseException", message, http.StatusBadRequest}
}

func notFound(message string) *Error {
	return &Error{"ResourceNotFoundException", message, http.StatusNotFound}
}

// Write answers with an error; one that is no *Error is the service's own fault.
func Write(w http.ResponseWriter, err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{"ServiceException", err.Error(), http.StatusInternalServerError}
	}
	kind := "User"
	if e.Status >= http.StatusInternalServerError {
		kind = "Server"
	}
	w.Header().Set("X-Amzn-Errortype", e.Code)
	answer(w, e.Status, map[string]string{"Type": kind, "Message": e.Message, "message": e.Message})
}

func answer(w http.ResponseWriter, status int, document any) {
	body, err := json.Marshal(document)
	if err != nil {
		http.Error(w, "lambda: encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone: nobody is left to tell
}
