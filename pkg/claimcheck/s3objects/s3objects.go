// Package s3objects is the claimcheck driver for Amazon S3.
package s3objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
)

// API is the part of the S3 client that the driver uses.
type API interface {
	PutObject(context.Context, *s3.PutObjectInput, ...func(*s3.Options)) (*s3.PutObjectOutput, error)
	GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error)
	ListObjectsV2(context.Context, *s3.ListObjectsV2Input, ...func(*s3.Options)) (*s3.ListObjectsV2Output, error)
	DeleteObjects(context.Context, *s3.DeleteObjectsInput, ...func(*s3.Options)) (*s3.DeleteObjectsOutput, error)
}

// Presigner makes links; *s3.PresignClient is one. It calls nobody.
type Presigner interface {
	PresignGetObject(context.Context, *s3.GetObjectInput, ...func(*s3.PresignOptions)) (*v4.PresignedHTTPRequest, error)
}

// Config says what the driver works with.
type Config struct {
	// API is the client. Required.
	API API
	// Bucket is the bucket's name. Required. The bucket has no lifecycle rule
	// that lets objects below claimcheck.Prefix expire by their age: jobs may
	// be planned for a day that is further away.
	Bucket string
	// Presigner makes links; without it there are none.
	Presigner Presigner
}

// Driver keeps objects in a bucket. It may be used by many goroutines. Calls whose
// answer is lost are repeated by the SDK, as its options say.
type Driver struct{ Config }

// New makes a Driver. Every mistake is reported at once.
func New(config Config) (*Driver, error) {
	var problems []error
	if config.API == nil {
		problems = append(problems, errors.New("s3objects: API is missing: use s3.NewFromConfig"))
	}
	if config.Bucket == "" {
		problems = append(problems, errors.New("s3objects: Bucket is missing"))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return &Driver{config}, nil
}

// Put writes an object: whole, since S3 shows none before its last byte came and
// its checksum was found right.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
func (d *Driver) Put(ctx context.Context, key string, data []byte) error {
	_, err := d.API.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &d.Bucket, Key: &key, Body: bytes.NewReader(data), ContentLength: aws.Int64(int64(len(data))),
		ContentType: aws.String("application/json"), ChecksumAlgorithm: types.ChecksumAlgorithmCrc32,
	})
	return err
}

// Get reads an object of at most limit bytes. The SDK compares what was read with
// the checksum that S3 keeps.
//
// Without s3:ListBucket S3 says of a missing object that access is denied, which
// is no ErrNotFound: workers need that permission.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
func (d *Driver) Get(ctx context.Context, key string, limit int64) (data []byte, err error) {
	out, err := d.API.GetObject(ctx, &s3.GetObjectInput{Bucket: &d.Bucket, Key: &key, ChecksumMode: types.ChecksumModeEnabled})
	var missing *types.NoSuchKey
	if errors.As(err, &missing) {
		return nil, fmt.Errorf("%w: %w", claimcheck.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if closeErr := out.Body.Close(); err == nil && closeErr != nil {
			data, err = nil, closeErr
		}
	}()
	length := aws.ToInt64(out.ContentLength)
	if length > limit {
		return nil, fmt.Errorf("%w: %d bytes, and %d are allowed", claimcheck.ErrTooLarge, length, limit)
	}
	data = make([]byte, length)
	if _, err := io.ReadFull(out.Body, data); err != nil {
		return nil, err
	}
	// Every byte is here. What the SDK still has to say is about the checksum.
	switch n, err := out.Body.Read(make([]byte, 1)); {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: %w", claimcheck.ErrDamaged, err)
	case n > 0:
		return nil, fmt.Errorf("%w: it goes on after its %d bytes", claimcheck.ErrDamaged, length)
	}
	return data, nil
}

// List gives a page of objects in the order of their keys.
func (d *Driver) List(ctx context.Context, prefix, after string, limit int) (page []claimcheck.Listed, more bool, err error) {
	in := &s3.ListObjectsV2Input{Bucket: &d.Bucket, Prefix: &prefix, MaxKeys: aws.Int32(int32(limit))}
	if after != "" {
		in.StartAfter = &after
	}
	out, err := d.API.ListObjectsV2(ctx, in)
	if err != nil {
		return nil, false, err
	}
	for _, o := range out.Contents {
		page = append(page, claimcheck.Listed{Key: aws.ToString(o.Key), Bytes: aws.ToInt64(o.Size), Modified: aws.ToTime(o.LastModified)})
	}
	return page, aws.ToBool(out.IsTruncated), nil
}

// maxDelete is how many objects one call deletes.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
const maxDelete = 1000

// Delete deletes objects, and looks at what became of each.
func (d *Driver) Delete(ctx context.Context, keys []string) error {
	for some := range slices.Chunk(keys, maxDelete) {
		objects := make([]types.ObjectIdentifier, len(some))
		for i := range some {
			objects[i].Key = &some[i]
		}
		out, err := d.API.DeleteObjects(ctx, &s3.DeleteObjectsInput{Bucket: &d.Bucket, Delete: &types.Delete{Objects: objects, Quiet: aws.Bool(true)}})
		if err != nil {
			return err
		}
		if len(out.Errors) > 0 {
			first := out.Errors[0]
			return fmt.Errorf("%d of %d objects stay: %s: %s: %s", len(out.Errors), len(some),
				aws.ToString(first.Key), aws.ToString(first.Code), aws.ToString(first.Message))
		}
	}
	return nil
}

// Link makes a presigned URL.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ShareObjectPreSignedURL.html
func (d *Driver) Link(ctx context.Context, key string, life time.Duration) (string, error) {
	if d.Presigner == nil {
		return "", errors.New("s3objects: no links: Config.Presigner is nil")
	}
	signed, err := d.Presigner.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &d.Bucket, Key: &key}, s3.WithPresignExpires(life))
	if err != nil {
		return "", err
	}
	return signed.URL, nil
}
