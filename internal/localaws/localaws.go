// Package localaws is an AWS endpoint for one machine: SQS, DynamoDB, DynamoDB
// Streams, SNS, SES, EventBridge Scheduler, CloudWatch's metrics, Lambda's event source
// mappings and the S3 calls that are used here, on one port, over the wire protocols of
// the AWS SDKs and of the aws command.
//
// What is not supported answers with an error in AWS's shape that names the
// service and the operation. Signatures are checked on presigned S3 URLs only;
// there is no IAM. Bind it to loopback.
package localaws

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
	"github.com/nightshift-go/nightshift/internal/localaws/cloudwatch"
	"github.com/nightshift-go/nightshift/internal/localaws/dynamodb"
	"github.com/nightshift-go/nightshift/internal/localaws/lambda"
	"github.com/nightshift-go/nightshift/internal/localaws/s3"
	"github.com/nightshift-go/nightshift/internal/localaws/scheduler"
	"github.com/nightshift-go/nightshift/internal/localaws/ses"
	"github.com/nightshift-go/nightshift/internal/localaws/sns"
	"github.com/nightshift-go/nightshift/internal/localaws/sqs"
	"github.com/nightshift-go/nightshift/internal/runner/clock"
)

// InMemory as Config.Dir keeps nothing: the data is in a temporary folder that
// Close removes.
const InMemory = ":memory:"

// DefaultSecret is the secret access key that clients of the endpoint use unless
// Config.Secret names another.
const DefaultSecret = s3.DefaultSecret

// Config sets a Server up.
type Config struct {
	// Dir is the data folder; it is made if it isn't there. Required.
	Dir string
	// Region stands in ARNs; "" means us-east-1. Clients may name any region.
	Region string
	// AccountID stands in ARNs and queue URLs; "" means 000000000000.
	AccountID string
	// Secret is the secret access key with which clients presign S3 URLs; ""
	// means DefaultSecret. The access key id may be any, and other signatures
	// are not checked.
	Secret string
	// Clock is the clock of everything but calls that wait and signatures, which are
	// the machine's; nil means that it is the machine's too. It keeps the machine's
	// pace while calls are answered, but for those that poll.
	Clock *clock.Clock
	// Now is the clock in the place of Clock's; nil means Clock's.
	Now func() time.Time
	// Sleep waits between occurrences of schedules, by that clock; nil means by
	// Clock.
	Sleep func(context.Context, time.Duration) error
	// Ready is told when the first message can be received from a queue, and when
	// none can any more; nil is told nothing. It must not call back.
	Ready func(queueARN string, any bool)
	// Written is called when a stream record has been written, before its writer is
	// answered and before Changed tells; nil is not.
	Written func()
	// Invoke hands the event of a schedule or a bucket to the function with an ARN,
	// asynchronously, and calls concluded when it has come to its end; where there
	// is no such function it wraps ErrNoTarget. Nil means that there are none.
	Invoke func(ctx context.Context, functionARN string, payload []byte, concluded func()) error
	// HoldSchedules keeps schedules from firing, and buckets from notifying, before
	// FireSchedules.
	HoldSchedules bool
	// Logger gets a line per request at level debug; nil means none.
	Logger *slog.Logger
	// BaseURL gives the address that queue URLs begin with. Nil means the
	// address by which each client reached the server.
	BaseURL func() string
	// Fault is asked before each call whether it shall go wrong; nil means
	// never.
	Fault func(service, operation string, r *http.Request) *Fault
}

// ErrNoTarget means that a schedule's target isn't there.
var ErrNoTarget = scheduler.ErrNoTarget

// A Server answers AWS calls. It is an http.Handler, safe for concurrent use.
type Server struct {
	cfg       Config
	temporary string // folder to remove at Close
	sqs       *sqs.DB
	sns       *sns.DB
	ses       *ses.DB
	lambda    *lambda.DB
	dynamodb  *dynamodb.DB
	s3        *s3.DB
	scheduler *scheduler.DB
	// cloudwatch keeps nothing in the data folder.
	cloudwatch *cloudwatch.DB
	services   map[string]*awsjson.Service // by prefix of X-Amz-Target

	mu     sync.Mutex
	counts map[string]int
}

// New opens the data folder.
func New(cfg Config) (*Server, error) {
	if cfg.Dir == "" {
		return nil, errors.New("localaws: configuration: Dir is missing")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = cfg.Clock.Now
	}
	s := &Server{cfg: cfg, services: map[string]*awsjson.Service{}, counts: map[string]int{}}
	s.openCloudWatch()
	if err := s.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("localaws: %w", err), s.Close())
	}
	return s, nil
}

func (s *Server) open() error {
	dir := s.cfg.Dir
	if dir == InMemory {
		temporary, err := os.MkdirTemp("", "nightshift-aws-")
		if err != nil {
			return fmt.Errorf("making a temporary folder: %w", err)
		}
		s.temporary, dir = temporary, temporary
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the data folder: %w", err)
	}
	var err error
	s.sqs, err = sqs.Open(sqs.Config{
		Path: filepath.Join(dir, "sqs.db"), Now: s.cfg.Now, AfterFunc: s.afterFunc, Ready: s.cfg.Ready, BaseURL: s.cfg.BaseURL, Region: s.cfg.Region, AccountID: s.cfg.AccountID,
	})
	if err != nil {
		return err
	}
	s.add(s.sqs.Service())
	if err := s.openSNS(filepath.Join(dir, "sns.db")); err != nil {
		return err
	}
	if err := s.openSES(filepath.Join(dir, "ses.db")); err != nil {
		return err
	}
	if err := s.openLambda(filepath.Join(dir, "lambda.db")); err != nil {
		return err
	}
	s.dynamodb, err = dynamodb.Open(dynamodb.Config{
		Path: filepath.Join(dir, "dynamodb.db"), Now: s.cfg.Now, Machine: s.machine(), Written: s.cfg.Written, Region: s.cfg.Region, AccountID: s.cfg.AccountID, Log: s.cfg.Logger,
	})
	if err != nil {
		return err
	}
	s.add(s.dynamodb.Services()...)
	if err := s.openS3(filepath.Join(dir, "s3")); err != nil {
		return err
	}
	return s.openScheduler(filepath.Join(dir, "scheduler.db"))
}

func (s *Server) add(services ...*awsjson.Service) {
	for _, service := range services {
		s.services[service.Prefix] = service
	}
}

// Changed gives a channel that closes when the next stream record is written,
// for a reader of streams that does not want to poll.
func (s *Server) Changed() <-chan struct{} { return s.dynamodb.Changed() }

// Close ends waiting calls, closes the files and removes a temporary folder.
// Stop the HTTP server before.
func (s *Server) Close() error {
	var errs []error
	if s.scheduler != nil { // it sends to the queues
		errs = append(errs, s.scheduler.Close())
	}
	if s.s3 != nil { // as well
		errs = append(errs, s.s3.Close())
	}
	if s.sns != nil { // as well
		errs = append(errs, s.sns.Close())
	}
	if s.sqs != nil {
		errs = append(errs, s.sqs.Close())
	}
	if s.ses != nil {
		errs = append(errs, s.ses.Close())
	}
	if s.lambda != nil {
		errs = append(errs, s.lambda.Close())
	}
	if s.dynamodb != nil {
		errs = append(errs, s.dynamodb.Close())
	}
	if s.temporary != "" {
		errs = append(errs, os.RemoveAll(s.temporary))
	}
	return errors.Join(errs...)
}
