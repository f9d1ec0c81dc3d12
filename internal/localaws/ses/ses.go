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
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
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

// service is SES's manner. A message of 40 MB is more when it is encoded.
var service = restjson.Service{
	Name: "SES", MaxBody: 56 << 20, BadRequest: "BadRequestException", Fault: "InternalFailure",
	Document: func(e *restjson.Error) any { return map[string]string{"message": e.Message} },
}

// A call is one request, taken apart.
type call struct {
	name string // what the path names: a template, an address
	base string // by which the client reached the endpoint
	body []byte
}

func (c call) decode(into any) error { return service.Decode(c.body, into) }

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, argument := route(r)
	run, ok := operations[name]
	if !ok {
		Refuse(w, service.Unsupported(name))
		return
	}
	body, err := service.Read(w, r)
	if err != nil {
		Refuse(w, err)
		return
	}
	result, err := db.run(run, call{name: argument, base: "http://" + r.Host, body: body})
	if err != nil {
		Refuse(w, err)
		return
	}
	restjson.Answer(w, http.StatusOK, result)
}

func (db *DB) run(operation func(*DB, call) (any, error), c call) (any, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	return operation(db, c)
}

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, err error) { service.Refuse(w, err) }

func badRequest(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusBadRequest, "BadRequestException", format, args...)
}

func notFound(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusNotFound, "NotFoundException", format, args...)
}

func exists(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusBadRequest, "AlreadyExistsException", format, args...)
}
