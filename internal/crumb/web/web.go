// Package web serves Crumb's pages: the pages themselves, their static files, and
// the stable paths of photographs, each of which redirects to a fresh presigned
// URL.
//
// Pages are the same for everybody: their scripts ask the JSON API for what they
// show. Everything is embedded; there is no build step. The files lie under a path
// that holds the hash of them all, so browsers keep them for good and never mix
// two versions.
package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// Life is how long a presigned URL of a photograph works. Browsers may keep the
// redirect to it for less than that.
const (
	Life     = 15 * time.Minute
	keepable = 10 * time.Minute
)

// A Presigner makes URLs by which anybody may read one object of the bucket for
// a while.
type Presigner interface {
	PresignGet(ctx context.Context, key string, life time.Duration) (string, error)
}

// Config is what a Site needs.
type Config struct {
	// Photos gives URLs of photographs; required.
	Photos Presigner
}

// A Site answers requests for the page. It may be used concurrently.
type Site struct {
	photos  Presigner
	files   files
	headers map[string]string
}

// New makes a Site. It presigns once, to learn the origin of the bucket, which
// the page's content security policy has to name; no request is sent.
func New(ctx context.Context, config Config) (*Site, error) {
	if config.Photos == nil {
		return nil, errors.New("web: Config.Photos is required")
	}
	origin, err := originOf(ctx, config.Photos)
	if err != nil {
		return nil, fmt.Errorf("web: finding the bucket's origin: %w", err)
	}
	files, err := embeddedFiles()
	if err != nil {
		return nil, fmt.Errorf("web: reading the page: %w", err)
	}
	return &Site{photos: config.Photos, files: files, headers: securityHeaders(origin)}, nil
}

func originOf(ctx context.Context, photos Presigner) (string, error) {
	signed, err := photos.PresignGet(ctx, "photos/origin", Life)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(signed)
	if err != nil {
		return "", err
	}
	if u.Scheme == "" || u.Host == "" {
		return "", fmt.Errorf("%q is no absolute URL", u.Redacted())
	}
	return u.Scheme + "://" + u.Host, nil
}

// Handle answers one request of an HTTP API (payload format 2.0):
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
func (s *Site) Handle(ctx context.Context, r events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	method, path := r.RequestContext.HTTP.Method, r.RawPath
	if method != http.MethodGet && method != http.MethodHead {
		return s.plain(http.StatusMethodNotAllowed, "Only GET and HEAD work here.\n", "Allow", "GET, HEAD"), nil
	}
	var answer events.APIGatewayV2HTTPResponse
	page, isPage := pageAt(path)
	switch {
	case isPage:
		answer = s.file(r, s.files.pages[page], "no-cache")
	case strings.HasPrefix(path, "/photos/"), strings.HasPrefix(path, "/videos/"):
		var err error
		if answer, err = s.photo(ctx, path); err != nil {
			return events.APIGatewayV2HTTPResponse{}, err
		}
	default:
		if f, ok := s.files.static[path]; ok {
			answer = s.file(r, f, "public, max-age=31536000, immutable")
		} else {
			answer = s.notFound()
		}
	}
	if method == http.MethodHead {
		answer.Body = ""
	}
	return answer, nil
}

// photoPath is the URL that the resizer gives a result, and the URL of what a film is
// made into: its key after a slash. It is compiled with the first of them, and not when the function starts.
var photoPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/(photos/[A-Za-z0-9_-]{8,64}/(?:thumb|small|medium|large)\.(?:jpg|png)` +
		`|videos/[A-Za-z0-9_-]{8,64}/(?:clip\.gif|preview\.gif|poster\.jpg))$`)
})

func (s *Site) photo(ctx context.Context, path string) (events.APIGatewayV2HTTPResponse, error) {
	match := photoPath().FindStringSubmatch(path)
	if match == nil {
		return s.notFound(), nil
	}
	signed, err := s.photos.PresignGet(ctx, match[1], Life)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, fmt.Errorf("web: presigning %s: %w", match[1], err)
	}
	return s.plain(http.StatusFound, "", "Location", signed,
		"Cache-Control", fmt.Sprintf("private, max-age=%d", int(keepable.Seconds()))), nil
}
