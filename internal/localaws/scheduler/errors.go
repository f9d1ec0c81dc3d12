package scheduler

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

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

func invalid(format string, args ...any) *Error {
	return &Error{"ValidationException", fmt.Sprintf(format, args...), http.StatusBadRequest}
}

func conflict(format string, args ...any) *Error {
	return &Error{"ConflictException", fmt.Sprintf(format, args...), http.StatusConflict}
}

func notFound(format string, args ...any) *Error {
	return &Error{"ResourceNotFoundException", fmt.Sprintf(format, args...), http.StatusNotFound}
}

// Write answers with an error; one that is no *Error is the service's own fault.
func Write(w http.ResponseWriter, err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{"InternalServerException", err.Error(), http.StatusInternalServerError}
	}
	w.Header().Set("X-Amzn-Errortype", e.Code)
	answer(w, e.Status, map[string]string{"Message": e.Message})
}

func answer(w http.ResponseWriter, status int, document any) {
	body, err := json.Marshal(document)
	if err != nil {
		http.Error(w, "scheduler: encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone: nobody is left to tell
}
