package objects

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// PresignPut makes a URL by which anybody may write one object, once, within
// life: exactly that type and length, which are signed. headers must go with the
// request as they are; the length is not among them, since every HTTP client
// sends it of itself and browsers forbid scripts to.
//
// The object can be written once because If-None-Match: * is signed too: S3
// refuses a second PUT with 412.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html
func (o *Objects) PresignPut(ctx context.Context, key, contentType string, length int64, life time.Duration) (url string, headers map[string]string, err error) {
	signed, err := o.presign.PresignPutObject(ctx, &s3.PutObjectInput{
		Bucket: &o.bucket, Key: &key,
		ContentType: &contentType, ContentLength: &length, IfNoneMatch: aws.String("*"),
	}, s3.WithPresignExpires(life))
	if err != nil {
		return "", nil, fmt.Errorf("objects: presigning a PUT of %s: %w", key, err)
	}
	headers = map[string]string{}
	for name := range signed.SignedHeader {
		if name != "Host" && name != "Content-Length" {
			headers[name] = signed.SignedHeader.Get(name)
		}
	}
	return signed.URL, headers, nil
}

// PresignGet makes a URL by which anybody may read one object within life.
func (o *Objects) PresignGet(ctx context.Context, key string, life time.Duration) (string, error) {
	signed, err := o.presign.PresignGetObject(ctx, &s3.GetObjectInput{Bucket: &o.bucket, Key: &key}, s3.WithPresignExpires(life))
	if err != nil {
		return "", fmt.Errorf("objects: presigning a GET of %s: %w", key, err)
	}
	return signed.URL, nil
}
