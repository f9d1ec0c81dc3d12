// Package ses is a local Amazon SES (API version 2): mail that is sent is kept,
// with what would have become of it, and shown; none leaves the machine.
//
// It follows the API Reference (https://docs.aws.amazon.com/ses/latest/APIReference-V2/)
// where it is definite. An identity is verified as soon as it is created, and nothing
// is sent from another. Addresses of the mailbox simulator behave as AWS says; so
// that bounces that count can be had as well, an address under the top-level domain
// .invalid bounces for good and goes on the suppression list.
//
// Known differences: no limit on the rate, no signatures, no tracking of opens and
// clicks, and only the last mails are kept.
package ses

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// Config sets a DB up.
type Config struct {
	// Path is the file in which mails and settings are kept. Required.
	Path string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Region stands in messages; "" means us-east-1.
	Region string
	// Publish publishes an event to the SNS topic with an ARN. Nil means that none
	// are told.
	Publish func(topicARN, message string) error
	// Log takes what happens to events that no topic takes; nil drops it.
	Log func(message string)
	// Keep is how many mails are kept; zero means 10,000.
	Keep int
}

// A DB holds mails, identities, templates and the suppression list. It is an
// http.Handler, safe for concurrent use.
type DB struct {
	cfg  Config
	bolt *bolt.DB
	mu   sync.Mutex // one call that writes at a time
}

// Open opens the file, making it if it isn't there.
func Open(cfg Config) (*DB, error) {
	if cfg.Path == "" {
		return nil, errors.New("ses: configuration: the path is missing")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Region == "" {
		cfg.Region = "us-east-1"
	}
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	if cfg.Keep == 0 {
		cfg.Keep = 10000
	}
	db := &DB{cfg: cfg}
	if err := db.load(); err != nil {
		return nil, fmt.Errorf("ses: opening %s: %w", cfg.Path, err)
	}
	return db, nil
}

// Close closes the file.
func (db *DB) Close() error {
	if err := db.bolt.Close(); err != nil {
		return fmt.Errorf("ses: closing %s: %w", db.cfg.Path, err)
	}
	return nil
}

// maxBody bounds what is read of a request, in bytes: a message of 40 MB, encoded.
const maxBody = 56 << 20

// A call is one request, taken apart.
type call struct {
	name string // what the path names: a template, an address
	base string // by which the client reached the endpoint
	body []byte
}

// decode reads a body. A member that nobody reads would be lost without a word, so
// that it is refused.
func (c call) decode(into any) error {
	if len(c.body) == 0 {
		return nil
	}
	if err := strict(c.body, into); err != nil {
		return badRequest("The local endpoint does not take this request: %v.", err)
	}
	return nil
}

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, argument := route(r)
	run, ok := operations[name]
	if !ok {
		Write(w, &Error{"UnknownOperationException", "SES: the local endpoint does not support the operation " + name + ".", http.StatusNotImplemented})
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		Write(w, badRequest("reading the request: %v", err))
		return
	}
	result, err := db.run(run, call{name: argument, base: "http://" + r.Host, body: body})
	if err != nil {
		Write(w, err)
		return
	}
	answer(w, http.StatusOK, result)
}

func (db *DB) run(operation func(*DB, call) (any, error), c call) (any, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return operation(db, c)
}

// An Error is a refusal in AWS's shape.
type Error struct {
	// Code is the error's name: "BadRequestException".
	Code string
	// Message is for people.
	Message string
	// Status is the HTTP status.
	Status int
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func badRequest(format string, args ...any) *Error {
	return &Error{"BadRequestException", fmt.Sprintf(format, args...), http.StatusBadRequest}
}

func notFound(format string, args ...any) *Error {
	return &Error{"NotFoundException", fmt.Sprintf(format, args...), http.StatusNotFound}
}

func exists(format string, args ...any) *Error {
	return &Error{"AlreadyExistsException", fmt.Sprintf(format, args...), http.StatusBadRequest}
}

// Write answers with an error; one that is no *Error is the service's own fault.
func Write(w http.ResponseWriter, err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{"InternalFailure", err.Error(), http.StatusInternalServerError}
	}
	w.Header().Set("X-Amzn-Errortype", e.Code)
	answer(w, e.Status, map[string]string{"message": e.Message})
}

func answer(w http.ResponseWriter, status int, document any) {
	if document == nil {
		document = struct{}{}
	}
	body, err := json.Marshal(document)
	if err != nil {
		http.Error(w, "ses: encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone: nobody is left to tell
}
