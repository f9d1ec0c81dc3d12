package s3

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

func (s *service) allow(rules ...types.CORSRule) error {
	_, err := s.PutBucketCors(s.Context(), &client.PutBucketCorsInput{Bucket: data, CORSConfiguration: &types.CORSConfiguration{CORSRules: rules}})
	return err
}

func TestPreflight(t *testing.T) {
	s := open(t)
	ask := func(origin, method, headers string) (int, http.Header, string) {
		h := http.Header{"Access-Control-Request-Headers": {headers}}
		if origin != "" {
			h.Set("Origin", origin)
		}
		if method != "" {
			h.Set("Access-Control-Request-Method", method)
		}
		return s.raw("OPTIONS", "/data/some/key?X-Amz-Signature=0", "", h)
	}
	status, _, body := ask("http://page", "PUT", "")
	if status != 403 || !strings.Contains(body, "CORS is not enabled for this bucket") {
		t.Errorf("without rules: %d %s", status, body)
	}
	err := s.allow(
		types.CORSRule{AllowedOrigins: []string{"http://page", "https://*.example.com"}, AllowedMethods: []string{"PUT"}, AllowedHeaders: []string{"Content-Type", "x-amz-*"}, ExposeHeaders: []string{"ETag"}, MaxAgeSeconds: aws.Int32(60)},
		types.CORSRule{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET", "HEAD"}},
	)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		origin, method, headers string
		status                  int
		allowed                 string // Access-Control-Allow-Origin
	}{
		{"http://page", "PUT", "content-type, X-Amz-Meta-A", 200, "http://page"},
		{"https://a.b.example.com", "PUT", "", 200, "https://a.b.example.com"},
		{"https://example.com", "PUT", "", 403, ""},
		{"http://page", "PUT", "authorization", 403, ""},
		{"http://other", "PUT", "", 403, ""},
		{"http://other", "GET", "", 200, "*"},
		{"http://page", "GET", "", 200, "*"},
		{"http://page", "GET", "content-type", 403, ""},
		{"http://page", "DELETE", "", 403, ""},
		{"http://page", "PATCH", "", 400, ""},
		{"http://page", "", "", 400, ""},
		{"", "PUT", "", 400, ""},
	} {
		status, header, body := ask(c.origin, c.method, c.headers)
		if status != c.status || header.Get("Access-Control-Allow-Origin") != c.allowed {
			t.Errorf("%+v: %d %s %s", c, status, header.Get("Access-Control-Allow-Origin"), body)
		}
	}
	_, header, _ := ask("http://page", "PUT", "Content-Type")
	for name, want := range map[string]string{"Methods": "PUT", "Headers": "content-type", "Credentials": "true"} {
		equal(t, name, header.Get("Access-Control-Allow-"+name), want)
	}
	equal(t, "exposed", header.Get("Access-Control-Expose-Headers"), "ETag")
	equal(t, "age", header.Get("Access-Control-Max-Age"), "60")
}

func TestCORSOnAnswers(t *testing.T) {
	s := open(t)
	s.mustPut("k", "x")
	if err := s.allow(types.CORSRule{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}, ExposeHeaders: []string{"ETag"}}); err != nil {
		t.Fatal(err)
	}
	link := s.presignGet(&client.GetObjectInput{Key: aws.String("k")}, 60e9)
	for name, c := range map[string]struct {
		method, url, origin string
		status              int
		allowed             string
	}{
		"allowed":           {"GET", link, "http://page", 200, "*"},
		"refused, readable": {"GET", link + "0", "http://page", 403, "*"},
		"no origin":         {"GET", link, "", 200, ""},
		"another method":    {"PUT", link, "http://page", 403, ""},
	} {
		h := http.Header{}
		if c.origin != "" {
			h.Set("Origin", c.origin)
		}
		status, header, _ := s.raw(c.method, c.url, "", h)
		if status != c.status || header.Get("Access-Control-Allow-Origin") != c.allowed {
			t.Errorf("%s: %d %v", name, status, header)
		}
	}
}

func TestCORSConfiguration(t *testing.T) {
	s := open(t)
	rule := func(change func(*types.CORSRule)) types.CORSRule {
		r := types.CORSRule{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}
		change(&r)
		return r
	}
	for name, r := range map[string]types.CORSRule{
		"method":  rule(func(r *types.CORSRule) { r.AllowedMethods = []string{"PATCH"} }),
		"origin":  rule(func(r *types.CORSRule) { r.AllowedOrigins = []string{"*.*"} }),
		"header":  rule(func(r *types.CORSRule) { r.AllowedHeaders = []string{"*-*"} }),
		"exposed": rule(func(r *types.CORSRule) { r.ExposeHeaders = []string{"*"} }),
	} {
		equal(t, name, code(s.allow(r)), "InvalidRequest")
	}
	_, err := s.GetBucketCors(t.Context(), &client.GetBucketCorsInput{Bucket: data})
	equal(t, "none yet", code(err), "NoSuchCORSConfiguration")
	equal(t, "set", code(s.allow(rule(func(r *types.CORSRule) { r.MaxAgeSeconds = aws.Int32(0) }))), "")
	out, err := s.GetBucketCors(t.Context(), &client.GetBucketCorsInput{Bucket: data})
	if err != nil || len(out.CORSRules) != 1 || out.CORSRules[0].AllowedMethods[0] != "GET" || *out.CORSRules[0].MaxAgeSeconds != 0 {
		t.Errorf("%v %v", out, err)
	}
	_, err = s.DeleteBucketCors(t.Context(), &client.DeleteBucketCorsInput{Bucket: data})
	equal(t, "deleted", code(err), "")
}

func TestHostStyle(t *testing.T) {
	s := open(t)
	s.mustPut("a/k", "x")
	h := http.Header{"Host": {"data.localhost:4566"}}
	signed(h)
	status, _, body := s.raw("GET", "/a/k", "", h)
	equal(t, "body", body, "x")
	equal(t, "status", status, 200)
	for host, want := range map[string]string{"data.localhost:1": "data", "data.s3.localhost": "data", "s3.localhost": "", "localhost:4566": "", "127.0.0.1:4566": ""} {
		equal(t, host, hostBucket(host), want)
	}
}
