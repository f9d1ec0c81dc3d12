package httpapi_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/job"
)

func TestUploadsAnswers201(t *testing.T) {
	a := newAPI(t)
	answer := a.send(a.uploads.Handle, event(t, "uploads"))
	u := decode[httpapi.Upload](t, answer.Body)
	id, ok := strings.CutPrefix(u.Key, "uploads/everyone/")
	if _, err := job.ParseID(id); !ok || err != nil {
		t.Errorf("the key is %s", u.Key)
	}
	if answer.StatusCode != 201 || answer.Headers["Cache-Control"] != "no-store" || answer.Headers["Content-Type"] != "application/json" {
		t.Errorf("%d %v", answer.StatusCode, answer.Headers)
	}
	if u.URL != "https://bucket.example/"+u.Key+"?X-Amz-Signature=1" || u.Headers["Content-Type"] != "image/jpeg" || u.ExpiresAt != "2026-11-29T16:30:00.123Z" {
		t.Errorf("%s", answer.Body)
	}
	if a.put.length != 3482190 || a.put.life != 10*time.Minute {
		t.Errorf("%+v", a.put)
	}
	if again := decode[httpapi.Upload](t, a.send(a.uploads.Handle, event(t, "uploads")).Body); again.Key == u.Key {
		t.Error("two uploads have one key")
	}
}

func TestUploadsOfAClient(t *testing.T) {
	a := newAPI(t)
	for subject, folder := range map[string]string{
		"ann": "ann", "8f2b-4c": "8f2b-4c", "auth0|1": "h=", "..": "h=", "everyone": "h=", "a/../b": "h=", strings.Repeat("x", 65): "h=",
	} {
		u := decode[httpapi.Upload](t, a.send(a.uploads.Handle, event(t, "uploads", by(subject))).Body)
		if !strings.HasPrefix(u.Key, "uploads/"+folder) || strings.Count(u.Key, "/") != 2 || strings.Contains(u.Key, "everyone") {
			t.Errorf("%s puts into %s", subject, u.Key)
		}
	}
}

func TestUploadsRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*request)
		status int
	}{
		"no JSON":         {body("image/jpeg"), 400},
		"no bytes":        {body(`{"content_type":"image/png"}`), 400},
		"no byte":         {body(`{"content_type":"image/png","bytes":0}`), 400},
		"less than none":  {body(`{"content_type":"image/png","bytes":-1}`), 400},
		"half a byte":     {body(`{"content_type":"image/png","bytes":1.5}`), 400},
		"bytes in quotes": {body(`{"content_type":"image/png","bytes":"1"}`), 400},
		"no type":         {body(`{"bytes":1}`), 400},
		"a name":          {body(`{"content_type":"image/png","bytes":1,"name":"x"}`), 400},
		"a film":          {body(`{"content_type":"video/mp4","bytes":1}`), 415},
		"any image":       {body(`{"content_type":"image/*","bytes":1}`), 415},
		"half a type":     {body(`{"content_type":"image/","bytes":1}`), 415},
		"an endless type": {body(`{"content_type":"image/` + strings.Repeat("x", 128) + `","bytes":1}`), 415},
		"two types":       {body(`{"content_type":"image/png,image/jpeg","bytes":1}`), 415},
		"bytes past all":  {body(`{"content_type":"image/png","bytes":99999999999999999999}`), 400},
		"bytes twice":     {body(`{"content_type":"image/png","bytes":1,"bytes":99999999}`), 400},
		"two lines":       {body(`{"content_type":"image/png\r\nX: y","bytes":1}`), 415},
		"a byte too many": {body(`{"content_type":"image/png","bytes":26214401}`), 413},
		"a long request":  {body(`{"content_type":"` + strings.Repeat("x", 5000) + `","bytes":1}`), 413},
		"a form":          {header("content-type", "multipart/form-data"), 415},
		"a method":        {method("GET"), 405},
		"no identity":     {by(""), 403},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI(t)
			r := event(t, "uploads", c.change)
			isProblem(t, r, a.send(a.uploads.Handle, r), c.status)
			if a.put.key != "" {
				t.Error("a URL was made")
			}
		})
	}
}

func TestUploadsTakes(t *testing.T) {
	for given, signed := range map[string]string{
		"image/heic": "image/heic", "IMAGE/JPEG": "image/jpeg", "image/svg+xml": "image/svg+xml", "image/png; q=1": "image/png",
	} {
		a := newAPI(t)
		answer := a.send(a.uploads.Handle, event(t, "uploads", body(`{"content_type":"`+given+`","bytes":26214400}`)))
		if answer.StatusCode != 201 || a.put.contentType != signed {
			t.Errorf("%s: %d, signed for %s", given, answer.StatusCode, a.put.contentType)
		}
	}
}

func TestUploadsAreUnderTheSameAdmission(t *testing.T) {
	a := newAPI(t)
	a.depth = 100
	r := event(t, "uploads")
	answer := a.send(a.uploads.Handle, r)
	isProblem(t, r, answer, 503)
	if answer.Headers["Retry-After"] != "5" || a.put.key != "" {
		t.Errorf("%v", answer.Headers)
	}
}

func TestAPresignerThatFails(t *testing.T) {
	a := newAPI(t)
	a.put.fail = errors.New("no credentials")
	r := event(t, "uploads")
	answer := a.send(a.uploads.Handle, r)
	isProblem(t, r, answer, 500)
	if strings.Contains(answer.Body, "credentials") || !strings.Contains(a.log.String(), "no credentials") {
		t.Error(answer.Body)
	}
}

func TestClientOf(t *testing.T) {
	type authorizer = events.APIGatewayV2HTTPRequestContextAuthorizerDescription
	for name, c := range map[string]struct {
		authorizer *authorizer
		client     string
		ok         bool
	}{
		"none":               {nil, "", true},
		"empty":              {&authorizer{}, "", true},
		"JWT":                {&authorizer{JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: map[string]string{"sub": "ann"}}}, "ann", true},
		"JWT without sub":    {&authorizer{JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{}}, "", false},
		"IAM":                {&authorizer{IAM: &events.APIGatewayV2HTTPRequestContextAuthorizerIAMDescription{UserARN: "arn:aws:iam::1:user/ann"}}, "", true},
		"IAM without caller": {&authorizer{IAM: &events.APIGatewayV2HTTPRequestContextAuthorizerIAMDescription{}}, "", false},
		"Lambda":             {&authorizer{Lambda: map[string]any{"principalId": "ann"}}, "ann", true},
		"Lambda without id":  {&authorizer{Lambda: map[string]any{"principalId": 7}}, "", false},
	} {
		var r request
		r.RequestContext.Authorizer = c.authorizer
		client, ok := httpapi.ClientOf(r)
		if name == "IAM" { // a hash: the same each time, and short
			if again, _ := httpapi.ClientOf(r); !strings.HasPrefix(client, "h=") || len(client) != 28 || again != client || !ok {
				t.Errorf("%s: %q", name, client)
			}
			continue
		}
		if client != c.client || ok != c.ok {
			t.Errorf("%s: %q %v", name, client, ok)
		}
	}
}
