package s3

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/credentials"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
)

func (s *service) presignPut(in *client.PutObjectInput, life time.Duration) *v4.PresignedHTTPRequest {
	s.Helper()
	in.Bucket = data
	p, err := client.NewPresignClient(s.Client).PresignPutObject(s.Context(), in, client.WithPresignExpires(life))
	if err != nil {
		s.Fatal(err)
	}
	return p
}

func (s *service) presignGet(in *client.GetObjectInput, life time.Duration) string {
	s.Helper()
	in.Bucket = data
	p, err := client.NewPresignClient(s.Client).PresignGetObject(s.Context(), in, client.WithPresignExpires(life))
	if err != nil {
		s.Fatal(err)
	}
	return p.URL
}

// The upload of the product: exactly that type and length, and once.
func TestPresignedUpload(t *testing.T) {
	s := open(t)
	p := s.presignPut(&client.PutObjectInput{Key: aws.String("uploads/c/1"), ContentType: aws.String("image/png"), ContentLength: aws.Int64(4), IfNoneMatch: aws.String("*")}, time.Minute)
	header := func(contentType, none string) http.Header {
		h := http.Header{}
		if contentType != "" {
			h.Set("Content-Type", contentType)
		}
		if none != "" {
			h.Set("If-None-Match", none)
		}
		return h
	}
	for _, c := range []struct {
		name, body string
		header     http.Header
		status     int
		code       string
	}{
		{"another type", "1234", header("image/jpeg", "*"), 403, "SignatureDoesNotMatch"},
		{"no type", "1234", header("", "*"), 403, "SignatureDoesNotMatch"},
		{"longer", "12345", header("image/png", "*"), 403, "SignatureDoesNotMatch"},
		{"shorter", "123", header("image/png", "*"), 403, "SignatureDoesNotMatch"},
		{"without the condition", "1234", header("image/png", ""), 403, "SignatureDoesNotMatch"},
		{"a header that was not signed", "1234", http.Header{"Content-Type": {"image/png"}, "If-None-Match": {"*"}, "X-Amz-Meta-A": {"b"}}, 403, "AccessDenied"},
		{"as signed", "1234", header("image/png", "*"), 200, ""},
		{"a second time", "1234", header("image/png", "*"), 412, "PreconditionFailed"},
	} {
		status, _, body := s.raw(p.Method, p.URL, c.body, c.header)
		if status != c.status || c.code != "" && !strings.Contains(body, "<Code>"+c.code+"</Code>") {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
	}
	equal(t, "body", s.body("uploads/c/1"), "1234")
	status, _, _ := s.raw("GET", p.URL, "", nil)
	equal(t, "another method", status, 403)
}

func TestPresignedDownload(t *testing.T) {
	s := open(t)
	key := "a b/ü+&=~'()*!.jpg"
	s.mustPut(key, "photo")
	link := s.presignGet(&client.GetObjectInput{Key: &key, ResponseContentType: aws.String("image/x"), ResponseContentDisposition: aws.String("attachment; filename=\"a b\"")}, time.Minute)
	status, header, body := s.raw("GET", link, "", nil)
	equal(t, "answer", fmt.Sprintln(status, body, header.Get("Content-Type"), header.Get("Content-Disposition")), "200 photo image/x attachment; filename=\"a b\"\n")

	parsed, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(url.Values){
		"signature": func(q url.Values) { q.Set("X-Amz-Signature", strings.Repeat("0", 64)) },
		"expiry":    func(q url.Values) { q.Set("X-Amz-Expires", "600") },
		"override":  func(q url.Values) { q.Set("response-content-type", "text/html") },
		"more":      func(q url.Values) { q.Set("x", "y") },
		"region": func(q url.Values) {
			q.Set("X-Amz-Credential", strings.Replace(q.Get("X-Amz-Credential"), "us-east-1", "eu-west-1", 1))
		},
	} {
		altered, query := *parsed, parsed.Query()
		change(query)
		altered.RawQuery = query.Encode()
		status, _, body := s.raw("GET", altered.String(), "", nil)
		if status != 403 || !strings.Contains(body, "SignatureDoesNotMatch") {
			t.Errorf("altered %s: %d %s", name, status, body)
		}
	}
	other := *parsed
	other.Path, other.RawPath = "/data/other", ""
	status, _, _ = s.raw("GET", other.String(), "", nil)
	equal(t, "another key", status, 403)
	status, _, _ = s.raw("GET", link, "", http.Header{"Host": {"elsewhere:80"}})
	equal(t, "another host", status, 403)
}

func TestPresignedExpiry(t *testing.T) {
	s := open(t)
	s.mustPut("k", "x")
	link := s.presignGet(&client.GetObjectInput{Key: aws.String("k")}, time.Minute)
	s.offset.Store(int64(20 * time.Second)) // a while before its end, on a slow machine too
	status, _, _ := s.raw("GET", link, "", nil)
	equal(t, "before", status, 200)
	s.offset.Store(int64(62 * time.Second))
	status, _, body := s.raw("GET", link, "", nil)
	if status != 403 || !strings.Contains(body, "<Code>AccessDenied</Code><Message>Request has expired</Message>") {
		t.Errorf("after: %d %s", status, body)
	}
	s.offset.Store(int64(-20 * time.Minute))
	status, _, body = s.raw("GET", link, "", nil)
	if status != 403 || !strings.Contains(body, "Request is not valid yet") {
		t.Errorf("long before: %d %s", status, body)
	}
}

func TestPresignedByAnyoneWithTheSecret(t *testing.T) {
	s := open(t)
	s.mustPut("k", "x")
	for name, c := range map[string]struct {
		secret, region string
		status         int
	}{"another region": {DefaultSecret, "eu-west-1", 200}, "another secret": {"other", "us-east-1", 403}} {
		options := s.Options()
		options.Region, options.Credentials = c.region, credentials.NewStaticCredentialsProvider("another", c.secret, "token")
		p, err := client.NewPresignClient(client.New(options)).PresignGetObject(t.Context(), &client.GetObjectInput{Bucket: data, Key: aws.String("k")})
		if err != nil {
			t.Fatal(err)
		}
		status, _, _ := s.raw("GET", p.URL, "", nil)
		equal(t, name, status, c.status)
	}
}

func TestMalformedPresign(t *testing.T) {
	s := open(t)
	good := func() url.Values {
		return url.Values{"X-Amz-Algorithm": {algorithm}, "X-Amz-Credential": {"k/20260101/r/s3/aws4_request"}, "X-Amz-Signature": {"0"}, "X-Amz-Date": {"20260101T000000Z"}, "X-Amz-SignedHeaders": {"host"}, "X-Amz-Expires": {"60"}}
	}
	for name, bad := range map[string][]string{
		"X-Amz-Algorithm": {"", "AWS4-X"}, "X-Amz-Credential": {"", "k", "k/20250101/r/s3/aws4_request", "k/20260101/r/sqs/aws4_request"}, "X-Amz-Signature": {""},
		"X-Amz-Date": {"", "2026-01-01"}, "X-Amz-SignedHeaders": {"", "content-type", "host;accept", "Host;host"}, "X-Amz-Expires": {"", "x", "-1", "604801"},
	} {
		for _, value := range bad {
			query := good()
			query.Set(name, value)
			status, _, body := s.raw("GET", "/data/k?"+query.Encode(), "", nil)
			if status != 400 || !strings.Contains(body, "AuthorizationQueryParametersError") {
				t.Errorf("%s=%q: %d %s", name, value, status, body)
			}
		}
	}
	if _, err := parsePresign(good()); err != nil {
		t.Error(err)
	}
}

func TestUnsignedIsRefused(t *testing.T) {
	s := open(t)
	s.mustPut("k", "x")
	status, _, body := s.raw("GET", "/data/k", "", nil)
	equal(t, "unsigned", fmt.Sprint(status, strings.Contains(body, "AccessDenied")), "403 true")
	status, _, _ = s.raw("GET", "/data/k?AWSAccessKeyId=a&Signature=b&Expires=1", "", nil)
	equal(t, "signature version 2", status, 400)
	h := http.Header{}
	signed(h)
	status, _, _ = s.raw("GET", "/data/k?X-Amz-Signature=1", "", h)
	equal(t, "both ways", status, 400)
}

func FuzzPresign(f *testing.F) {
	f.Add("X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20260101%2Fr%2Fs3%2Faws4_request&X-Amz-Signature=0&X-Amz-Date=20260101T000000Z&X-Amz-SignedHeaders=host&X-Amz-Expires=60")
	f.Add("X-Amz-Credential=////&X-Amz-SignedHeaders=;;")
	f.Fuzz(func(t *testing.T, raw string) {
		query, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		p, err := parsePresign(query)
		if err != nil {
			return
		}
		if p.expires < 0 || p.expires > maxExpires || p.signature == "" || !strings.HasSuffix(p.scope, "/s3/aws4_request") || p.signed.Format(stampForm) != p.stamp {
			t.Errorf("took %+v", p)
		}
		r, err := http.NewRequest("GET", "http://h/b/k", nil)
		if err != nil {
			t.Fatal(err)
		}
		if canonical := canonicalRequest(r, query, p.headers); strings.Contains(canonical, "X-Amz-Signature=") {
			t.Errorf("the signature signs itself: %s", canonical)
		}
	})
}
