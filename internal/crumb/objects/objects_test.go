package objects_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
)

func bucket(t *testing.T, handler http.HandlerFunc) *objects.Objects {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return at(&server.URL)
}

func at(endpoint *string) *objects.Objects {
	return objects.New(aws.Config{
		Region: "eu-west-1", BaseEndpoint: endpoint, RetryMaxAttempts: 1,
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenSupported, // as it is by default
		Credentials:                credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "example", ""),
	}, "crumbs")
}

func TestPresignedPutSignsTypeLengthAndOnce(t *testing.T) {
	signed, headers, err := at(nil).PresignPut(t.Context(), "uploads/everyone/1", "image/png", 42, 5*time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(signed)
	if err != nil {
		t.Fatal(err)
	}
	if u.Host != "crumbs.s3.eu-west-1.amazonaws.com" || u.Path != "/uploads/everyone/1" {
		t.Errorf("it goes to %s %s", u.Host, u.Path)
	}
	q := u.Query()
	if got, want := q.Get("X-Amz-SignedHeaders"), "content-length;content-type;host;if-none-match"; got != want {
		t.Errorf("signed are %q, not %q", got, want)
	}
	if q.Get("X-Amz-Expires") != "300" {
		t.Errorf("it lives for %s s", q.Get("X-Amz-Expires"))
	}
	for name := range q {
		if strings.Contains(strings.ToLower(name), "checksum") {
			t.Errorf("%s would be that of an empty body", name)
		}
	}
	if want := map[string]string{"Content-Type": "image/png", "If-None-Match": "*"}; !maps.Equal(headers, want) {
		t.Errorf("the headers to send are %v, not %v", headers, want)
	}
}

func TestPresignedGetAtAnotherEndpoint(t *testing.T) {
	endpoint := "http://127.0.0.1:4566"
	signed, err := at(&endpoint).PresignGet(t.Context(), "photos/1/small.jpg", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if want := endpoint + "/crumbs/photos/1/small.jpg?"; !strings.HasPrefix(signed, want) {
		t.Errorf("%s does not begin with %s", signed, want)
	}
}

func TestGet(t *testing.T) {
	o := bucket(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/crumbs/five":
			w.Header().Set("Content-Type", "image/gif")
			_, _ = io.WriteString(w, "12345")
		case "/crumbs/endless":
			for range 3 {
				_, _ = io.WriteString(w, "12345")
				w.(http.Flusher).Flush() // so that the length is not told before
			}
		case "/crumbs/none":
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message></Error>`)
		default:
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `<Error><Code>AccessDenied</Code><Message>no</Message></Error>`)
		}
	})
	data, contentType, err := o.Get(t.Context(), "five", 5)
	if err != nil || string(data) != "12345" || contentType != "image/gif" {
		t.Errorf("%q %q %v", data, contentType, err)
	}
	if _, _, err := o.Get(t.Context(), "five", 4); !errors.Is(err, objects.ErrTooLarge) {
		t.Errorf("five bytes where four are allowed: %v", err)
	}
	if _, _, err := o.Get(t.Context(), "endless", 14); !errors.Is(err, objects.ErrTooLarge) {
		t.Errorf("fifteen bytes where fourteen are allowed: %v", err)
	}
	if _, _, err := o.Get(t.Context(), "none", 4); !errors.Is(err, objects.ErrMissing) {
		t.Errorf("a missing object: %v", err)
	}
	if _, _, err := o.Get(t.Context(), "secret", 4); err == nil || errors.Is(err, objects.ErrMissing) || errors.Is(err, objects.ErrTooLarge) {
		t.Errorf("a refusal that is neither: %v", err)
	}
}

func TestPut(t *testing.T) {
	var got *http.Request
	var body []byte
	o := bucket(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	})
	if err := o.Put(t.Context(), "photos/1/small.jpg", []byte("bytes"), "image/jpeg", "public, immutable"); err != nil {
		t.Fatal(err)
	}
	if got.Method != http.MethodPut || got.URL.Path != "/crumbs/photos/1/small.jpg" || string(body) != "bytes" {
		t.Errorf("%s %s with %q", got.Method, got.URL.Path, body)
	}
	if sum := fmt.Sprintf("%x", sha256.Sum256(body)); got.Header.Get("X-Amz-Content-Sha256") != sum || got.Header.Get("X-Amz-Checksum-Crc32") != "" {
		t.Errorf("the body is not what is signed: %v", got.Header)
	}
	if got.Header.Get("Content-Type") != "image/jpeg" || got.Header.Get("Cache-Control") != "public, immutable" {
		t.Errorf("headers %v", got.Header)
	}
}

func TestPutTellsOfAFailure(t *testing.T) {
	o := bucket(t, func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusForbidden) })
	if err := o.Put(t.Context(), "photos/1", nil, "image/jpeg", ""); err == nil {
		t.Error("a refused PUT passed for written")
	}
}
