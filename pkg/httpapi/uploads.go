package httpapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// Defaults and limits of uploads.
const (
	// UploadsPrefix is how the keys of uploads begin; the client and an id
	// follow.
	UploadsPrefix = "uploads/"
	// DefaultMostBytes is the largest upload: 25 MiB.
	DefaultMostBytes = 25 << 20
	// DefaultUploadLife is how long an upload may take to begin.
	DefaultUploadLife = 10 * time.Minute

	mostUploadBody = 4 << 10
	// mostTypeName is the longest subtype that there can be (RFC 6838, section
	// 4.2).
	mostTypeName = 127
)

// A Presigner makes a URL by which anybody may put one object, once, of exactly
// that type and length, within life. headers must go with the request.
type Presigner interface {
	PresignPut(ctx context.Context, key, contentType string, length int64, life time.Duration) (url string, headers map[string]string, err error)
}

// An UploadsConfig says what Uploads works with.
type UploadsConfig struct {
	// Presigner makes the URLs. Required.
	Presigner Presigner
	// Gate is that of the queue where uploads are worked on: what could not
	// be enqueued need not be uploaded. Required.
	Gate *admission.Gate
	// Limit keeps each client to a rate, before anything else is looked at;
	// nil means none.
	Limit *RateLimit
	// MostBytes is the largest upload; zero means DefaultMostBytes.
	MostBytes int64
	// Accept are the media types that are taken, the first that fits deciding.
	// Default: every image.
	Accept []Accepted
	// Life is how long a URL works; zero means DefaultUploadLife.
	Life time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Random draws ids; default crypto/rand.Reader.
	Random io.Reader
	// Logger is for what clients are not told; default none.
	Logger *slog.Logger
}

// Uploads answers POST /uploads: it says where and how to put a file, by a
// presigned PUT (a Lambda function takes bodies up to 6 MB, and photographs are
// larger). It may be used by many goroutines.
type Uploads struct {
	endpoint
	config UploadsConfig
}

// NewUploads makes the handler. It reports every mistake in the configuration at
// once.
func NewUploads(config UploadsConfig) (*Uploads, error) {
	var problems []error
	if config.Presigner == nil {
		problems = append(problems, errors.New("httpapi: UploadsConfig.Presigner is nil"))
	}
	if config.Gate == nil {
		problems = append(problems, errors.New("httpapi: UploadsConfig.Gate is nil: make it with admission.New"))
	}
	if config.MostBytes < 0 {
		problems = append(problems, fmt.Errorf("httpapi: UploadsConfig.MostBytes is %d: it is 0 (the default) or more", config.MostBytes))
	}
	if config.Life < 0 {
		problems = append(problems, fmt.Errorf("httpapi: UploadsConfig.Life is %v: it is 0 (the default) or more", config.Life))
	}
	for _, a := range config.Accept {
		problems = append(problems, a.check())
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	if config.MostBytes == 0 {
		config.MostBytes = DefaultMostBytes
	}
	config.Accept = config.accepted()
	if config.Life == 0 {
		config.Life = DefaultUploadLife
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Random == nil {
		config.Random = rand.Reader
	}
	return &Uploads{endpoint: newEndpoint(config.Logger, http.MethodPost), config: config}, nil
}

// Handle answers one request.
func (u *Uploads) Handle(ctx context.Context, event events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	return u.config.Limit.before(ctx, event, u.endpoint, u.serve, nil)
}

// An uploadRequest is what a client says of what it wants to put.
type uploadRequest struct {
	ContentType string `json:"content_type"`
	Bytes       int64  `json:"bytes"`
}

// An Upload says where and how to put an object.
type Upload struct {
	// Key is the object's: the argument of the job that works on it.
	Key string `json:"key"`
	// URL takes one PUT with these Headers before ExpiresAt.
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt string            `json:"expires_at"`
}

func (u *Uploads) serve(ctx context.Context, r request) (response, error) {
	client, err := r.client()
	if err != nil {
		return response{}, err
	}
	contentType, length, accepted, err := u.understand(r)
	if err != nil {
		return response{}, err
	}
	decision := accepted.Gate.Check(ctx)
	logger := u.logger.With("queue", accepted.Gate.Queue())
	noteReading(ctx, logger, r, decision)
	if !decision.Admitted {
		return response{}, refused(ctx, logger, r, decision)
	}
	id, err := job.NewID(u.config.Random)
	if err != nil {
		return response{}, err
	}
	key := UploadsPrefix + folder(client) + "/" + string(id)
	expires := u.config.Now().Add(u.config.Life)
	url, headers, err := u.config.Presigner.PresignPut(ctx, key, contentType, length, u.config.Life)
	if err != nil {
		return response{}, fmt.Errorf("httpapi: presigning %s: %w", key, err)
	}
	return respond(http.StatusCreated, Upload{Key: key, URL: url, Headers: headers, ExpiresAt: stamp(expires)},
		map[string]string{"Cache-Control": "no-store"})
}

func folder(client string) string {
	if client == "" {
		return Everyone
	}
	return client
}

// understand gives the file's type, in lower case and without parameters, its length,
// and what it is accepted as.
func (u *Uploads) understand(r request) (contentType string, length int64, as Accepted, err error) {
	body, err := r.json(mostUploadBody)
	if err != nil {
		return "", 0, as, err
	}
	wanted, err := payload.Decode[uploadRequest](body)
	if err != nil {
		return "", 0, as, wrongFields(err)
	}
	switch {
	case wanted.ContentType == "":
		return "", 0, as, badRequest("wrong-fields", `say what is to be uploaded: {"content_type": "image/jpeg", "bytes": 12345}`)
	case wanted.Bytes <= 0:
		return "", 0, as, badRequest("wrong-fields", fmt.Sprintf("bytes is %d: an empty file can't be uploaded", wanted.Bytes))
	}
	contentType, _, err = mime.ParseMediaType(wanted.ContentType)
	as, accepted := u.config.accept(contentType)
	if err != nil || !accepted {
		return "", 0, as, newProblem(http.StatusUnsupportedMediaType, "unsupported-media-type",
			fmt.Sprintf("content_type is %.80q; %s", wanted.ContentType, u.config.taken()))
	}
	if wanted.Bytes > as.MostBytes {
		return "", 0, as, newProblem(http.StatusRequestEntityTooLarge, "too-large",
			fmt.Sprintf("the upload has %d bytes and at most %d are taken", wanted.Bytes, as.MostBytes))
	}
	return contentType, wanted.Bytes, as, nil
}
