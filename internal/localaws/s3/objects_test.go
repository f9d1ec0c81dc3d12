package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var data = aws.String("data")

func TestObjectRoundTrip(t *testing.T) {
	s, ctx := open(t), t.Context()
	key := "a b/ü+&=?#%41//x"
	_, err := s.put(key, "hello world", func(in *client.PutObjectInput) {
		in.Metadata = map[string]string{"x": "1"}
		in.ContentType, in.CacheControl = aws.String("text/x"), aws.String("max-age=1")
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "body", s.body(key), "hello world")
	head, err := s.HeadObject(ctx, &client.HeadObjectInput{Bucket: data, Key: &key})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "head", fmt.Sprint(*head.ContentLength, *head.ContentType, *head.CacheControl, head.Metadata), "11text/xmax-age=1map[x:1]")
	if _, err := s.DeleteObject(ctx, &client.DeleteObjectInput{Bucket: data, Key: &key}); err != nil {
		t.Fatal(err)
	}
	_, err = s.GetObject(ctx, &client.GetObjectInput{Bucket: data, Key: &key})
	var none *types.NoSuchKey
	if !errors.As(err, &none) {
		t.Errorf("got %v, want NoSuchKey", err)
	}
	_, err = s.HeadObject(ctx, &client.HeadObjectInput{Bucket: data, Key: &key})
	equal(t, "head of nothing", code(err), "NotFound")
	_, err = s.DeleteObject(ctx, &client.DeleteObjectInput{Bucket: data, Key: &key})
	equal(t, "deleting nothing", code(err), "")
	_, err = s.GetObject(ctx, &client.GetObjectInput{Bucket: aws.String("nope"), Key: &key})
	equal(t, "no bucket", code(err), "NoSuchBucket")
	_, err = s.put(strings.Repeat("k", 1025), "x")
	equal(t, "long key", code(err), "KeyTooLongError")
}

// Keys are decoded once, whoever encoded them.
func TestKeysAreWhatTheyAre(t *testing.T) {
	s := open(t)
	keys := []string{"a b.jpg", "a+b.jpg", "dir/ü(1).jpg", "100%.jpg", "x%2By.jpg", "x+y.jpg", "x y.jpg", "dir/./a", "dir/../a", "/a", "a//b", "~'!*"}
	for _, key := range keys {
		s.mustPut(key, "this is "+key)
	}
	for _, key := range keys {
		equal(t, key, s.body(key), "this is "+key)
		url := s.presignGet(&client.GetObjectInput{Bucket: data, Key: &key}, time.Minute)
		status, _, body := s.raw("GET", url, "", nil)
		equal(t, key+" by a presigned URL", fmt.Sprint(status, body), "200this is "+key)
	}
}

func TestConditionalWrites(t *testing.T) {
	s := open(t)
	ifNone := func(in *client.PutObjectInput) { in.IfNoneMatch = aws.String("*") }
	ifMatch := func(etag string) func(*client.PutObjectInput) {
		return func(in *client.PutObjectInput) { in.IfMatch = &etag }
	}
	etag, err := s.put("k", "1", ifNone)
	equal(t, "first", code(err), "")
	_, err = s.put("k", "2", ifNone)
	equal(t, "second", code(err), "PreconditionFailed")
	_, err = s.put("k", "3", ifMatch(etag))
	equal(t, "right ETag", code(err), "")
	_, err = s.put("k", "4", ifMatch(etag))
	equal(t, "old ETag", code(err), "PreconditionFailed")
	_, err = s.put("none", "5", ifMatch(etag))
	equal(t, "no object", code(err), "NoSuchKey")
	_, err = s.put("k", "6", func(in *client.PutObjectInput) { in.IfNoneMatch = &etag })
	equal(t, "If-None-Match with an ETag", code(err), "NotImplemented")
	equal(t, "body", s.body("k"), "3")
}

// Of many that write a key for the first time, one does.
func TestOneWriterWins(t *testing.T) {
	s := open(t)
	var won atomic.Int32
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			_, err := s.put("k", fmt.Sprint(i), func(in *client.PutObjectInput) { in.IfNoneMatch = aws.String("*") })
			if err == nil {
				won.Add(1)
			} else if code(err) != "PreconditionFailed" {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, "winners", won.Load(), 1)
	equal(t, "blobs left", blobs(t, s.db), 1)
}

func blobs(t *testing.T, db *DB) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(db.blobs(), "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}

func TestReads(t *testing.T) {
	s := open(t)
	etag := s.mustPut("k", "0123456789")
	for _, c := range []struct {
		header, value string
		status        int
		body          string
	}{
		{"Range", "bytes=2-4", 206, "234"}, {"Range", "bytes=8-", 206, "89"}, {"Range", "bytes=8-99", 206, "89"}, {"Range", "bytes=-3", 206, "789"},
		{"Range", "bytes=-99", 206, "0123456789"}, {"Range", "bytes=0-0", 206, "0"}, {"Range", "bytes=4-2", 200, "0123456789"},
		{"Range", "bytes=0-1,3-4", 200, "0123456789"}, {"Range", "lines=1-2", 200, "0123456789"}, {"Range", "bytes=10-", 416, "InvalidRange"}, {"Range", "bytes=-0", 416, "InvalidRange"},
		{"If-None-Match", etag, 304, ""}, {"If-None-Match", `"other"`, 200, "0123456789"}, {"If-Match", etag, 200, "0123456789"}, {"If-Match", `"other"`, 412, "PreconditionFailed"},
		{"If-Modified-Since", "Fri, 01 Jan 2100 00:00:00 GMT", 304, ""}, {"If-Modified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", 200, "0123456789"},
		{"If-Unmodified-Since", "Sat, 01 Jan 2000 00:00:00 GMT", 412, "PreconditionFailed"}, {"If-Modified-Since", "yesterday", 200, "0123456789"},
	} {
		h := http.Header{c.header: {c.value}}
		signed(h)
		status, _, body := s.raw("GET", "/data/k", "", h)
		if status != c.status || !strings.Contains(body, c.body) || c.body == "" && body != "" {
			t.Errorf("%s: %s: got %d %q, want %d %q", c.header, c.value, status, body, c.status, c.body)
		}
	}
}

func TestBuckets(t *testing.T) {
	s, ctx := open(t), t.Context()
	for _, name := range []string{"ab", "UPPER", "a..b", "192.168.1.1", "-ab", strings.Repeat("x", 64)} {
		h := http.Header{}
		signed(h)
		status, _, body := s.raw("PUT", "/"+name, "", h)
		if status != 400 || !strings.Contains(body, "InvalidBucketName") {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	s.mustPut("k", "x")
	_, err := s.DeleteBucket(ctx, &client.DeleteBucketInput{Bucket: data})
	equal(t, "not empty", code(err), "BucketNotEmpty")
	_, err = s.CreateBucket(ctx, &client.CreateBucketInput{Bucket: data})
	equal(t, "again", code(err), "")
	out, err := s.DeleteObjects(ctx, &client.DeleteObjectsInput{Bucket: data, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: aws.String("k")}, {Key: aws.String("nope")}}}})
	if err != nil || len(out.Deleted) != 2 || len(out.Errors) != 0 {
		t.Errorf("%v %v", out, err)
	}
	equal(t, "blobs left", blobs(t, s.db), 0)
	list, err := s.ListBuckets(ctx, nil)
	if err != nil || len(list.Buckets) != 1 || *list.Buckets[0].Name != "data" {
		t.Errorf("%v %v", list, err)
	}
	_, err = s.DeleteBucket(ctx, &client.DeleteBucketInput{Bucket: data})
	equal(t, "empty", code(err), "")
	_, err = s.HeadBucket(ctx, &client.HeadBucketInput{Bucket: data})
	equal(t, "gone", code(err), "NotFound")
}

func TestCopy(t *testing.T) {
	s, ctx := open(t), t.Context()
	etag := s.mustPut("a b", "x")
	from := aws.String("data/a%20b")
	_, err := s.CopyObject(ctx, &client.CopyObjectInput{Bucket: data, Key: aws.String("c"), CopySource: from, CopySourceIfMatch: &etag})
	equal(t, "copy", code(err), "")
	equal(t, "body", s.body("c"), "x")
	_, err = s.CopyObject(ctx, &client.CopyObjectInput{Bucket: data, Key: aws.String("c"), CopySource: from, CopySourceIfNoneMatch: &etag})
	equal(t, "condition", code(err), "PreconditionFailed")
	_, err = s.CopyObject(ctx, &client.CopyObjectInput{Bucket: data, Key: aws.String("a b"), CopySource: from})
	equal(t, "onto itself", code(err), "InvalidRequest")
	_, err = s.CopyObject(ctx, &client.CopyObjectInput{Bucket: data, Key: aws.String("a b"), CopySource: from, MetadataDirective: "REPLACE", Metadata: map[string]string{"m": "1"}})
	equal(t, "onto itself with other metadata", code(err), "")
	_, err = s.CopyObject(ctx, &client.CopyObjectInput{Bucket: data, Key: aws.String("c"), CopySource: aws.String("data/none")})
	equal(t, "no source", code(err), "NoSuchKey")
	equal(t, "blobs", blobs(t, s.db), 2)
}

func TestList(t *testing.T) {
	s, ctx := open(t), t.Context()
	for _, key := range []string{"a", "d/1", "d/2", "d/e/3", "dz", "f/4", "ü"} {
		s.mustPut(key, "x")
	}
	for _, c := range []struct{ prefix, delimiter, after, want string }{
		{"", "", "", "a d/1 d/2 d/e/3 dz f/4 ü"}, {"", "/", "", "a dz ü d/* f/*"}, {"d", "", "", "d/1 d/2 d/e/3 dz"}, {"d/", "/", "", "d/1 d/2 d/e/*"},
		{"", "", "d/2", "d/e/3 dz f/4 ü"}, {"", "/", "d/1", "dz ü d/* f/*"}, {"d/", "/", "d/2", "d/e/*"}, {"x", "", "", ""},
	} {
		for _, size := range []int32{1, 2, 1000} {
			var keys, prefixes []string
			pages := client.NewListObjectsV2Paginator(s, &client.ListObjectsV2Input{Bucket: data, Prefix: &c.prefix, Delimiter: &c.delimiter, StartAfter: &c.after, MaxKeys: &size})
			for pages.HasMorePages() {
				page, err := pages.NextPage(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if n := len(page.Contents) + len(page.CommonPrefixes); n > int(size) || n != int(*page.KeyCount) {
					t.Errorf("page of %d", n)
				}
				for _, o := range page.Contents {
					keys = append(keys, *o.Key)
				}
				for _, p := range page.CommonPrefixes {
					prefixes = append(prefixes, *p.Prefix+"*")
				}
			}
			equal(t, fmt.Sprintf("%+v by %d", c, size), strings.Join(append(keys, prefixes...), " "), c.want)
		}
	}
}

func TestMultipart(t *testing.T) {
	s, ctx := open(t), t.Context()
	key := aws.String("big")
	begin := func() *string {
		out, err := s.CreateMultipartUpload(ctx, &client.CreateMultipartUploadInput{Bucket: data, Key: key, ContentType: aws.String("a/b")})
		if err != nil {
			t.Fatal(err)
		}
		return out.UploadId
	}
	part := func(id *string, n int32, body string) types.CompletedPart {
		out, err := s.UploadPart(ctx, &client.UploadPartInput{Bucket: data, Key: key, UploadId: id, PartNumber: &n, Body: strings.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		return types.CompletedPart{ETag: out.ETag, PartNumber: &n}
	}
	complete := func(id *string, parts ...types.CompletedPart) error {
		_, err := s.CompleteMultipartUpload(ctx, &client.CompleteMultipartUploadInput{Bucket: data, Key: key, UploadId: id, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts}})
		return err
	}
	id, full := begin(), strings.Repeat("x", minPartSize)
	part(id, 2, "replaced")
	two, one, small := part(id, 2, "end"), part(id, 1, full), part(id, 3, "small")
	equal(t, "order", code(complete(id, two, one)), "InvalidPartOrder")
	equal(t, "too small", code(complete(id, two, small)), "EntityTooSmall")
	equal(t, "unknown", code(complete(id, types.CompletedPart{ETag: one.ETag, PartNumber: aws.Int32(9)})), "InvalidPart")
	list, err := s.ListParts(ctx, &client.ListPartsInput{Bucket: data, Key: key, UploadId: id})
	if err != nil || len(list.Parts) != 3 || *list.Parts[0].Size != minPartSize {
		t.Errorf("%v %v", list, err)
	}
	equal(t, "complete", code(complete(id, one, two)), "")
	equal(t, "again", code(complete(id, one, two)), "NoSuchUpload")
	if s.body("big") != full+"end" {
		t.Error("wrong body")
	}
	id = begin()
	part(id, 1, "x")
	_, err = s.AbortMultipartUpload(ctx, &client.AbortMultipartUploadInput{Bucket: data, Key: key, UploadId: id})
	equal(t, "abort", code(err), "")
	equal(t, "blobs left", blobs(t, s.db), 1)
}

// What a dead process left behind goes at the next start; what was answered stays.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	db, err := Open(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{TB: t, db: db}
	name, f, err := db.newBlob()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	if s.db, err = Open(Config{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.db.Close() }()
	if _, err := os.Stat(s.db.blobPath(name)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the orphan is still there: %v", err)
	}
}

func TestUnsupported(t *testing.T) {
	s := open(t)
	for request, operation := range map[string]string{
		"GET /data?acl": "GetBucketAcl", "PUT /data?versioning": "PutBucketVersioning", "GET /data?lifecycle": "GetBucketLifecycle",
		"GET /data/k?tagging": "GetObjectTagging", "GET /data/k?versionId=7": "GetObjectVersion", "GET /data": "ListObjects", "GET /data?website": "GetBucketWebsite",
		"POST /data": "PostObject", "POST /data/k?restore": "PostObjectRestore", "GET /data/k?partNumber=1": "GetObjectPart",
	} {
		h := http.Header{}
		signed(h)
		method, url, _ := strings.Cut(request, " ")
		status, _, body := s.raw(method, url, "", h)
		if status != 501 || !strings.Contains(body, "<Code>NotImplemented</Code>") || !strings.Contains(body, operation+"<") {
			t.Errorf("%s: %d %s", request, status, body)
		}
	}
	_, err := s.put("k", "x", func(in *client.PutObjectInput) { in.Tagging = aws.String("a=b") })
	equal(t, "a header that would be lost", code(err), "NotImplemented")
	_, err = s.GetBucketAcl(context.Background(), &client.GetBucketAclInput{Bucket: data})
	equal(t, "by the SDK", code(err), "NotImplemented")
}
