package objects

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// MinPart is the fewest bytes that every part but the last has.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
const MinPart = 5 << 20

// ErrNoUpload: there is no such upload in parts, or not any more: it was completed,
// or the bucket's rule gave it up.
var ErrNoUpload = errors.New("objects: no such upload in parts")

// BeginUpload begins to write an object in parts and gives the upload's id. Nothing
// is there to read before CompleteUpload.
func (o *Objects) BeginUpload(ctx context.Context, key, contentType string) (upload string, err error) {
	out, err := o.client.CreateMultipartUpload(ctx, &s3.CreateMultipartUploadInput{Bucket: &o.bucket, Key: &key, ContentType: &contentType})
	if err != nil {
		return "", fmt.Errorf("objects: beginning to write %s: %w", key, err)
	}
	return aws.ToString(out.UploadId), nil
}

// UploadPart writes a part, over one of the same number, from 1, if need be. It
// fails with ErrNoUpload where the upload is not there any more.
func (o *Objects) UploadPart(ctx context.Context, key, upload string, number int32, data []byte) error {
	_, err := o.client.UploadPart(ctx, &s3.UploadPartInput{
		Bucket: &o.bucket, Key: &key, UploadId: &upload, PartNumber: &number, Body: bytes.NewReader(data),
	})
	if err != nil {
		return fmt.Errorf("objects: writing part %d of %s: %w", number, key, uploadError(err))
	}
	return nil
}

// CompleteUpload makes an object of the parts 1 to last. It fails with ErrNoUpload
// where the upload is not there any more.
func (o *Objects) CompleteUpload(ctx context.Context, key, upload string, last int32) error {
	parts, err := o.parts(ctx, key, upload, last)
	if err != nil {
		return fmt.Errorf("objects: completing %s: %w", key, uploadError(err))
	}
	_, err = o.client.CompleteMultipartUpload(ctx, &s3.CompleteMultipartUploadInput{
		Bucket: &o.bucket, Key: &key, UploadId: &upload, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	if err != nil {
		return fmt.Errorf("objects: completing %s: %w", key, uploadError(err))
	}
	return nil
}

// parts lists the parts that were written. S3 remembers their tags: nobody else has
// to. Parts after the last are left-overs of a run that got further and was lost.
func (o *Objects) parts(ctx context.Context, key, upload string, last int32) ([]types.CompletedPart, error) {
	var parts []types.CompletedPart
	pages := s3.NewListPartsPaginator(o.client, &s3.ListPartsInput{Bucket: &o.bucket, Key: &key, UploadId: &upload})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range page.Parts {
			if aws.ToInt32(p.PartNumber) <= last {
				parts = append(parts, types.CompletedPart{PartNumber: p.PartNumber, ETag: p.ETag})
			}
		}
	}
	return parts, nil
}

// AbortUpload gives an upload up; one that is not there is no error.
func (o *Objects) AbortUpload(ctx context.Context, key, upload string) error {
	_, err := o.client.AbortMultipartUpload(ctx, &s3.AbortMultipartUploadInput{Bucket: &o.bucket, Key: &key, UploadId: &upload})
	if err = uploadError(err); err != nil && !errors.Is(err, ErrNoUpload) {
		return fmt.Errorf("objects: giving up %s: %w", key, err)
	}
	return nil
}

// Size gives the length of an object; ok is false where there is none.
func (o *Objects) Size(ctx context.Context, key string) (bytes int64, ok bool, err error) {
	out, err := o.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &o.bucket, Key: &key})
	var missing *types.NotFound
	switch {
	case errors.As(err, &missing):
		return 0, false, nil
	case err != nil:
		return 0, false, fmt.Errorf("objects: looking at %s: %w", key, err)
	}
	return aws.ToInt64(out.ContentLength), true, nil
}

// uploadError finds by its code that there is no such upload: a type of its own that
// error has with AbortMultipartUpload only.
func uploadError(err error) error {
	var told smithy.APIError
	if errors.As(err, &told) && told.ErrorCode() == "NoSuchUpload" {
		return fmt.Errorf("%w: %w", ErrNoUpload, err)
	}
	return err
}
