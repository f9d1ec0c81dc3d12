// Package restjson has what the services share that speak AWS's REST-JSON protocol,
// in which the path and the method name the operation and the body is a JSON document:
// how they read, answer and refuse.
//
// EventBridge Scheduler, Lambda and SES v2 speak it. Each has routes of its own.
package restjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// A Service is one AWS service's manner.
type Service struct {
	// Name is used in messages: "Lambda".
	Name string
	// MaxBody bounds what is read of a request, in bytes.
	MaxBody int64
	// BadRequest and Fault are the codes of a request that can't be read, and of an
	// error that is the service's own.
	BadRequest, Fault string
	// Document is the body of a refusal.
	Document func(*Error) any
}

// An Error is a refusal in AWS's shape.
type Error struct {
	// Code is the error's name: "ConflictException".
	Code string
	// Message is for people.
	Message string
	// Status is the HTTP status.
	Status int
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Errorf makes an Error.
func Errorf(status int, code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Status: status}
}

// Unsupported refuses an operation that the service does not have.
func (s *Service) Unsupported(operation string) *Error {
	return Errorf(http.StatusNotImplemented, "UnknownOperationException", "%s: the local endpoint does not support the operation %s.", s.Name, operation)
}

// Read reads a request's body.
func (s *Service) Read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.MaxBody))
	if err != nil {
		return nil, Errorf(http.StatusBadRequest, s.BadRequest, "Could not read the request: %v", err)
	}
	return body, nil
}

// Decode decodes a body; an empty one leaves into as it is. A member that into lacks
// would be lost without a word: it is refused.
func (s *Service) Decode(body []byte, into any) error {
	if len(body) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return Errorf(http.StatusBadRequest, s.BadRequest, "The local endpoint does not take this request: %v.", err)
	}
	return nil
}

// Refuse answers with an error; one that is no *Error is the service's own fault.
func (s *Service) Refuse(w http.ResponseWriter, err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = Errorf(http.StatusInternalServerError, s.Fault, "%v", err)
	}
	w.Header().Set("X-Amzn-Errortype", e.Code)
	Answer(w, e.Status, s.Document(e))
}

// Answer answers with a document; nil is one without members.
func Answer(w http.ResponseWriter, status int, document any) {
	if document == nil {
		document = struct{}{}
	}
	body, err := json.Marshal(document)
	if err != nil {
		http.Error(w, "restjson: encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone: nobody is left to tell
}
