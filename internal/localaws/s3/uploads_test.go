package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
)

// begin begins an upload and gives its id.
func (s *service) begin(key string) string {
	s.Helper()
	out, err := s.CreateMultipartUpload(context.Background(), &client.CreateMultipartUploadInput{Bucket: aws.String("data"), Key: &key})
	if err != nil {
		s.Fatal(err)
	}
	return *out.UploadId
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	var e smithy.APIError
	if err == nil || !errors.As(err, &e) || e.ErrorCode() != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

func TestListMultipartUploads(t *testing.T) {
	s := open(t)
	ids := map[string]string{}
	for _, key := range []string{"b/2", "a/1", "b/1", "b/1"} {
		id := s.begin(key)
		ids[id] = key
		s.offset.Add(int64(1e9)) // each a second later
	}
	list := func(in client.ListMultipartUploadsInput) (keys []string, got *client.ListMultipartUploadsOutput) {
		t.Helper()
		in.Bucket = aws.String("data")
		out, err := s.ListMultipartUploads(t.Context(), &in)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range out.Uploads {
			if ids[*u.UploadId] != *u.Key || u.Initiated == nil || u.StorageClass != types.StorageClassStandard {
				t.Errorf("listed %+v", u)
			}
			keys = append(keys, *u.Key)
		}
		return keys, out
	}
	if keys, out := list(client.ListMultipartUploadsInput{}); !slices.Equal(keys, []string{"a/1", "b/1", "b/1", "b/2"}) || *out.IsTruncated || *out.MaxUploads != 1000 {
		t.Errorf("listed %v, %+v", keys, out)
	}
	if keys, _ := list(client.ListMultipartUploadsInput{Prefix: aws.String("b/1")}); len(keys) != 2 {
		t.Errorf("with a prefix %v", keys)
	}
	if keys, _ := list(client.ListMultipartUploadsInput{KeyMarker: aws.String("b/1")}); !slices.Equal(keys, []string{"b/2"}) {
		t.Errorf("after a key %v", keys)
	}
	// Page by page, two uploads of one key included.
	var all []string
	in := client.ListMultipartUploadsInput{MaxUploads: aws.Int32(1)}
	for range 10 {
		keys, out := list(in)
		all = append(all, keys...)
		if !*out.IsTruncated {
			break
		}
		in.KeyMarker, in.UploadIdMarker = out.NextKeyMarker, out.NextUploadIdMarker
	}
	if !slices.Equal(all, []string{"a/1", "b/1", "b/1", "b/2"}) {
		t.Errorf("page by page %v", all)
	}
	_, err := s.ListMultipartUploads(t.Context(), &client.ListMultipartUploadsInput{Bucket: aws.String("nowhere")})
	wantCode(t, "no bucket", err, "NoSuchBucket")
	for id, key := range ids {
		if _, err := s.AbortMultipartUpload(t.Context(), &client.AbortMultipartUploadInput{Bucket: aws.String("data"), Key: &key, UploadId: &id}); err != nil {
			t.Fatal(err)
		}
	}
	if keys, _ := list(client.ListMultipartUploadsInput{}); len(keys) != 0 {
		t.Errorf("after all were aborted: %v", keys)
	}
}

func TestUploadPartCopy(t *testing.T) {
	s := open(t)
	large := strings.Repeat("0123456789", 600_000)
	s.mustPut("source object", large)
	id := s.begin("joined")
	copyPart := func(number int32, source, part string) (*string, error) {
		in := &client.UploadPartCopyInput{Bucket: aws.String("data"), Key: aws.String("joined"), UploadId: &id, PartNumber: &number, CopySource: &source}
		if part != "" {
			in.CopySourceRange = &part
		}
		out, err := s.UploadPartCopy(t.Context(), in)
		if err != nil {
			return nil, err
		}
		return out.CopyPartResult.ETag, nil
	}
	for _, bad := range []struct{ source, part, code string }{
		{"data/nothing", "", "NoSuchKey"},
		{"data/source%20object", "bytes=5999990-6000000", "InvalidArgument"},
		{"data/source%20object", "bytes=9-8", "InvalidArgument"},
		{"data/source%20object", "bytes=-8", "InvalidArgument"},
		{"data/source%20object", "0-8", "InvalidArgument"},
	} {
		_, err := copyPart(1, bad.source, bad.part)
		wantCode(t, bad.source+" "+bad.part, err, bad.code)
	}
	whole, err := copyPart(1, "data/source%20object", "")
	if err != nil {
		t.Fatal(err)
	}
	piece, err := copyPart(2, "/data/source%20object", "bytes=3-7")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.CompleteMultipartUpload(t.Context(), &client.CompleteMultipartUploadInput{Bucket: aws.String("data"), Key: aws.String("joined"), UploadId: &id,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: whole}, {PartNumber: aws.Int32(2), ETag: piece}}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.GetObject(t.Context(), &client.GetObjectInput{Bucket: aws.String("data"), Key: aws.String("joined")})
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(got.Body)
	if err != nil || string(body) != large+"34567" {
		t.Errorf("%d bytes, want %d, %v", len(body), len(large)+5, err)
	}
}

// What S3 checks of a multipart upload, in AWS's words.
func TestMultipartChecks(t *testing.T) {
	s := open(t)
	data, key := aws.String("data"), aws.String("film")
	small, large := []byte("small"), bytes.Repeat([]byte{7}, minPartSize)
	id := s.begin(*key)
	put := func(number int32, body []byte) types.CompletedPart {
		t.Helper()
		out, err := s.UploadPart(t.Context(), &client.UploadPartInput{Bucket: data, Key: key, UploadId: &id, PartNumber: &number, Body: bytes.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		return types.CompletedPart{PartNumber: &number, ETag: out.ETag}
	}
	complete := func(parts ...types.CompletedPart) error {
		_, err := s.CompleteMultipartUpload(t.Context(), &client.CompleteMultipartUploadInput{Bucket: data, Key: key, UploadId: &id, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts}})
		return err
	}
	one, two, three := put(1, large), put(2, small), put(10_000, small)
	again := put(2, []byte("once more")) // replaces the part before
	wantCode(t, "out of order", complete(three, one), "InvalidPartOrder")
	wantCode(t, "twice", complete(one, one), "InvalidPartOrder")
	wantCode(t, "a part that was replaced", complete(one, two), "InvalidPart")
	wantCode(t, "a part that was never sent", complete(one, types.CompletedPart{PartNumber: aws.Int32(3), ETag: one.ETag}), "InvalidPart")
	wantCode(t, "too small before the last", complete(one, again, three), "EntityTooSmall")
	wantCode(t, "no part", complete(), "MalformedXML")
	for _, number := range []int32{0, 10_001} {
		_, err := s.UploadPart(t.Context(), &client.UploadPartInput{Bucket: data, Key: key, UploadId: &id, PartNumber: &number, Body: bytes.NewReader(small)})
		wantCode(t, fmt.Sprint("part ", number), err, "InvalidArgument")
	}
	// Parts that the completion leaves out are gone with the upload.
	if err := complete(one, again); err != nil {
		t.Fatal(err)
	}
	wantCode(t, "completed twice", complete(one, again), "NoSuchUpload")
	head, err := s.HeadObject(t.Context(), &client.HeadObjectInput{Bucket: data, Key: key})
	if err != nil || *head.ContentLength != minPartSize+9 || !strings.HasSuffix(*head.ETag, `-2"`) {
		t.Errorf("%+v, %v", head, err)
	}
}
