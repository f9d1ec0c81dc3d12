package s3

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go"
)

// service is a DB behind HTTP with a bucket "data", and a client of it.
type service struct {
	testing.TB
	*client.Client
	db     *DB
	url    string
	offset atomic.Int64 // of its clock, in nanoseconds
}

func open(t testing.TB, change ...func(*Config)) *service {
	t.Helper()
	s := &service{TB: t}
	config := Config{Dir: t.TempDir(), Now: func() time.Time { return time.Now().Add(time.Duration(s.offset.Load())) }}
	for _, c := range change {
		c(&config)
	}
	db, err := Open(config)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(db)
	t.Cleanup(func() {
		server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	s.db, s.url = db, server.URL
	s.Client = client.New(client.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", UsePathStyle: true, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("anyone", DefaultSecret, ""),
	})
	if _, err := s.CreateBucket(context.Background(), &client.CreateBucketInput{Bucket: aws.String("data")}); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *service) put(key, body string, more ...func(*client.PutObjectInput)) (string, error) {
	in := &client.PutObjectInput{Bucket: aws.String("data"), Key: &key, Body: strings.NewReader(body)}
	for _, change := range more {
		change(in)
	}
	out, err := s.PutObject(context.Background(), in)
	if err != nil {
		return "", err
	}
	return *out.ETag, nil
}

func (s *service) mustPut(key, body string) string {
	s.Helper()
	etag, err := s.put(key, body)
	if err != nil {
		s.Fatal(err)
	}
	return etag
}

func (s *service) body(key string) string {
	s.Helper()
	out, err := s.GetObject(context.Background(), &client.GetObjectInput{Bucket: aws.String("data"), Key: &key})
	if err != nil {
		s.Fatal(err)
	}
	defer out.Body.Close()
	b, err := io.ReadAll(out.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(b)
}

// signed lets a request by hand in.
func signed(h http.Header) {
	h.Set("Authorization", "AWS4-HMAC-SHA256 Credential=a/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0")
}

// raw sends a request and gives status, headers and body.
func (s *service) raw(method, url, body string, header http.Header) (int, http.Header, string) {
	s.Helper()
	if strings.HasPrefix(url, "/") {
		url = s.url + url
	}
	r, err := http.NewRequest(method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		s.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if host := header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	if err != nil {
		s.Fatal(err)
	}
	return answer.StatusCode, answer.Header, string(b)
}

// code gives the error code as the SDK has it, "" for none.
func code(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}
