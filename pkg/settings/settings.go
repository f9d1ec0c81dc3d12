// Package settings is the one place where the settings that the infrastructure
// hands to functions are named and read: environment variables NIGHTSHIFT_….
//
// The constructs in infra/constructs write them; functions read them at start-up
// and refuse to start, naming all that is missing.
package settings

import (
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"
)

// Names of the environment variables.
const (
	// Table is the name of the jobs table.
	Table = "NIGHTSHIFT_TABLE"
	// Bucket is the name of the bucket for objects.
	Bucket = "NIGHTSHIFT_BUCKET"
	// Secret keys the hash that turns idempotency keys into job ids.
	Secret = "NIGHTSHIFT_SECRET"
	// QueuePrefix begins the names of the variables that hold URLs of queues.
	QueuePrefix = "NIGHTSHIFT_QUEUE_"
	// Backstop is the URL of the queue that a backstop heals.
	Backstop = "NIGHTSHIFT_BACKSTOP_URL"
	// TopicPrefix begins the names of the variables that hold ARNs of topics.
	TopicPrefix = "NIGHTSHIFT_TOPIC_"
	// Pollers is how many batches of a queue a polling process has in hand at
	// once, Hold and Drain how long its jobs stay with it after a heartbeat and
	// may go on after SIGTERM ("24s"). See worker.PollConfig.
	Pollers = "NIGHTSHIFT_POLLERS"
	Hold    = "NIGHTSHIFT_HOLD"
	Drain   = "NIGHTSHIFT_DRAIN"
	// Namespace is where CloudWatch has the metrics of the stack, so that those of two
	// stacks in an account are apart; empty means telemetry.Namespace.
	Namespace = "NIGHTSHIFT_NAMESPACE"
	// RelayWindow is how long the relay gathers rows before it publishes them ("1s"),
	// for functions with a gate; default admission.DefaultWindow.
	RelayWindow = "NIGHTSHIFT_RELAY_WINDOW"
	// CountLoopback has requests of the machine itself counted against the rate of
	// clients ("true"; see httpapi.RateLimitConfig.CountLoopback), by which a local
	// stack shows its limit (--count-loopback). In AWS it is not set.
	CountLoopback = "NIGHTSHIFT_COUNT_LOOPBACK"
	// LogLevel is debug, info, warn or error; default info.
	LogLevel = "NIGHTSHIFT_LOG_LEVEL"
)

// QueueURL names the variable that holds a queue's URL.
func QueueURL(queue string) string { return QueuePrefix + upper(queue) + "_URL" }

// LettersURL names the variable that holds the URL of a queue's dead-letter queue.
func LettersURL(queue string) string { return QueuePrefix + upper(queue) + "_DLQ_URL" }

// TopicARN names the variable that holds a topic's ARN.
func TopicARN(topic string) string { return TopicPrefix + upper(topic) + "_ARN" }

func upper(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// A Reader reads settings and remembers what is missing, so that all of it is
// reported at once. It is for one goroutine.
type Reader struct {
	getenv  func(string) string
	missing []error
}

// Read makes a Reader; getenv is os.Getenv in functions.
func Read(getenv func(string) string) *Reader { return &Reader{getenv: getenv} }

// Required gives a variable's value and notes where it is empty.
func (r *Reader) Required(name string) string {
	value := r.getenv(name)
	if value == "" {
		r.missing = append(r.missing, fmt.Errorf("settings: %s is not set: the function's construct sets it; for a run by hand see events/env.json", name))
	}
	return value
}

// Text gives a variable's value, empty where none is set.
func (r *Reader) Text(name string) string { return r.getenv(name) }

// Level gives the log level; default info. An unknown level is noted.
func (r *Reader) Level() slog.Level {
	var level slog.Level
	if value := r.getenv(LogLevel); value != "" {
		if err := level.UnmarshalText([]byte(value)); err != nil {
			r.missing = append(r.missing, fmt.Errorf("settings: %s is %q: use debug, info, warn or error", LogLevel, value))
		}
	}
	return level
}

// Switch tells whether something is switched on ("true"); false where nothing is set.
// Anything that strconv.ParseBool does not take is noted.
func (r *Reader) Switch(name string) bool {
	value := r.getenv(name)
	if value == "" {
		return false
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		r.missing = append(r.missing, fmt.Errorf("settings: %s is %q: use true or false", name, value))
	}
	return on
}

// Count gives a number of 1 at least; zero where none is set. Anything else is
// noted.
func (r *Reader) Count(name string) int {
	value := r.getenv(name)
	if value == "" {
		return 0
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		r.missing = append(r.missing, fmt.Errorf("settings: %s is %q: use a whole number from 1", name, value))
	}
	return n
}

// Duration gives a time like "24s"; zero where none is set. Anything else, and a
// negative one, is noted.
func (r *Reader) Duration(name string) time.Duration {
	value := r.getenv(name)
	if value == "" {
		return 0
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		r.missing = append(r.missing, fmt.Errorf("settings: %s is %q: use a time like 24s or 2m", name, value))
	}
	return d
}

// Err gives everything that was missing or wrong, or nil.
func (r *Reader) Err() error { return errors.Join(r.missing...) }

// QueueURLs are the URLs of a queue and of its dead-letter queue.
type QueueURLs struct{ URL, Letters string }

// Queues finds the queues of which settings hold the URLs, by name. A queue's name
// has no underscores, so that it can be told from its variable; one that ends in
// "-dlq" can not be told from another queue's dead-letter queue.
func Queues(environment map[string]string) map[string]QueueURLs {
	queues := map[string]QueueURLs{}
	for variable, url := range environment {
		name, ok := strings.CutPrefix(variable, QueuePrefix)
		if !ok {
			continue
		}
		letters, isLetters := strings.CutSuffix(name, "_DLQ_URL")
		name, ok = strings.CutSuffix(name, "_URL")
		if isLetters {
			name = letters
		}
		if !ok {
			continue
		}
		name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		urls := queues[name]
		if isLetters {
			urls.Letters = url
		} else {
			urls.URL = url
		}
		queues[name] = urls
	}
	return queues
}
