// Package objects is Crumb's bucket: photographs are read and written by it, and
// browsers are given presigned URLs that let them do one thing with one object
// for a while.
package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// Errors that callers decide on.
var (
	// ErrMissing: there is no such object.
	ErrMissing = errors.New("objects: no such object")
	// ErrTooLarge: the object is larger than the caller's limit.
	ErrTooLarge = errors.New("objects: the object is too large")
)

// Objects is a bucket. It may be used by many goroutines.
type Objects struct {
	client  *s3.Client
	presign *s3.PresignClient
	bucket  string
}

// New makes Objects of a bucket. Where the configuration overrides the endpoint,
// as AWS_ENDPOINT_URL does, the bucket is part of the path: a name of its own
// would not resolve there.
//
// The SDK's further checksums are left out: the signature covers the body
// already, and S3 refuses one that does not match it.
func New(cfg aws.Config, bucket string) *Objects {
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = o.BaseEndpoint != nil
		o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	})
	return &Objects{client: client, presign: s3.NewPresignClient(client), bucket: bucket}
}

// Get reads an object of at most limit bytes and gives its content type. It
// fails with ErrMissing or ErrTooLarge where that is the reason; an object that
// is too large is not read.
func (o *Objects) Get(ctx context.Context, key string, limit int64) (data []byte, contentType string, err error) {
	out, err := o.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &o.bucket, Key: &key})
	var missing *types.NoSuchKey
	if errors.As(err, &missing) {
		return nil, "", fmt.Errorf("%w: %s", ErrMissing, key)
	}
	if err != nil {
		return nil, "", fmt.Errorf("objects: reading %s: %w", key, err)
	}
	defer func() {
		if closeErr := out.Body.Close(); err == nil && closeErr != nil {
			err = fmt.Errorf("objects: reading %s: %w", key, closeErr)
		}
	}()
	if aws.ToInt64(out.ContentLength) > limit {
		return nil, "", fmt.Errorf("%w: %s has %d bytes, and %d are allowed", ErrTooLarge, key, *out.ContentLength, limit)
	}
	data, err = io.ReadAll(io.LimitReader(out.Body, limit+1))
	if err != nil {
		return nil, "", fmt.Errorf("objects: reading %s: %w", key, err)
	}
	if int64(len(data)) > limit {
		return nil, "", fmt.Errorf("%w: %s has more than %d bytes", ErrTooLarge, key, limit)
	}
	return data, aws.ToString(out.ContentType), nil
}

// Put writes an object, over one of the same key if need be.
func (o *Objects) Put(ctx context.Context, key string, data []byte, contentType, cacheControl string) error {
	in := &s3.PutObjectInput{Bucket: &o.bucket, Key: &key, Body: bytes.NewReader(data), ContentType: &contentType}
	if cacheControl != "" {
		in.CacheControl = &cacheControl
	}
	if _, err := o.client.PutObject(ctx, in); err != nil {
		return fmt.Errorf("objects: writing %s: %w", key, err)
	}
	return nil
}
