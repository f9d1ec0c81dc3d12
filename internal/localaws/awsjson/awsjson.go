// Package awsjson serves the AWS JSON protocol (versions 1.0 and 1.1): one POST
// whose X-Amz-Target header names the operation and whose body is a JSON object.
//
// SQS, DynamoDB and DynamoDB Streams speak it. Errors are answered in AWS's own
// shape, so that the SDKs turn them into their typed errors.
package awsjson

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// MaxBody is the largest request body that is read, in bytes. DynamoDB's
// BatchWriteItem allows 16 MB; nothing that the endpoint serves allows more.
const MaxBody = 17 << 20

// An Operation answers one call. What it returns is encoded as JSON; nil means
// an empty body ({}). To refuse a call it returns an *Error.
type Operation func(ctx context.Context, body []byte) (any, error)

// A Service is one AWS service's operations by name.
type Service struct {
	// Name is used in messages: "SQS".
	Name string
	// Prefix is what stands before the dot in X-Amz-Target: "AmazonSQS".
	Prefix string
	// Namespace stands before the # in an error's __type:
	// "com.amazonaws.sqs".
	Namespace string
	// Version is the protocol's version, "1.0" or "1.1".
	Version string
	// Operations are the calls served.
	Operations map[string]Operation
}

// An Error is a refusal in AWS's shape.
type Error struct {
	// Code is the error's shape name: "ConditionalCheckFailedException".
	Code string
	// Message is for people.
	Message string
	// Status is the HTTP status; zero means 400.
	Status int
	// QueryCode is what x-amzn-query-error carries for services with a
	// query-protocol past (SQS): "AWS.SimpleQueueService.NonExistentQueue".
	QueryCode string
	// Fields are further members of the error document, such as
	// CancellationReasons or Item.
	Fields map[string]any
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Errorf makes an Error with status 400.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// OperationOf gives the service prefix and the operation that a request names,
// or two empty strings where it does not speak this protocol.
func OperationOf(r *http.Request) (prefix, operation string) {
	prefix, operation, _ = strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	return prefix, operation
}

// ServeHTTP answers one call.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, name := OperationOf(r)
	operation, ok := s.Operations[name]
	if !ok {
		s.Refuse(w, &Error{Code: "UnknownOperationException", Message: fmt.Sprintf("%s: the local endpoint does not support the operation %q", s.Name, name)})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err != nil {
		s.Refuse(w, &Error{Code: "RequestEntityTooLargeException", Message: fmt.Sprintf("%s: reading the request: %v", name, err), Status: http.StatusRequestEntityTooLarge})
		return
	}
	answer, err := operation(withBaseURL(r), body)
	if err != nil {
		s.Refuse(w, err)
		return
	}
	if answer == nil {
		answer = struct{}{}
	}
	s.write(w, http.StatusOK, answer)
}

// Refuse answers with an error; one that is no *Error is an InternalFailure.
func (s *Service) Refuse(w http.ResponseWriter, err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: "InternalFailure", Message: err.Error(), Status: http.StatusInternalServerError}
	}
	status := e.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	if e.QueryCode != "" {
		fault := "Sender"
		if status >= 500 {
			fault = "Receiver"
		}
		w.Header().Set("X-Amzn-Query-Error", e.QueryCode+";"+fault)
	}
	document := map[string]any{"__type": s.Namespace + "#" + e.Code, "message": e.Message}
	for name, value := range e.Fields {
		document[name] = value
	}
	s.write(w, status, document)
}

// write sends a document with the checksum that DynamoDB's SDK verifies.
func (s *Service) write(w http.ResponseWriter, status int, document any) {
	body, err := json.Marshal(document)
	if err != nil {
		http.Error(w, "awsjson: encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-amz-json-"+s.Version)
	h.Set("X-Amzn-Requestid", requestID())
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone: nobody is left to tell
}

func requestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails (Go 1.24 on)
	return hex.EncodeToString(b[:])
}
