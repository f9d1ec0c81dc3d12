package httpapi_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/admission"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
)

// gateOf is a gate of a queue with so many messages, of a hundred.
func gateOf(t *testing.T, depth int) *admission.Gate {
	t.Helper()
	gate, err := admission.New(admission.Config{
		Queue: "films", Limit: 100, DrainRate: 1, Depth: func(context.Context) (int, error) { return depth, nil }, Random: func() float64 { return 0 },
	})
	if err != nil {
		t.Fatal(err)
	}
	return gate
}

// Each kind of upload has its own limit and its own queue.
func TestUploadsOfSeveralKinds(t *testing.T) {
	put := &presigner{}
	uploads, err := httpapi.NewUploads(httpapi.UploadsConfig{
		Presigner: put, Gate: gateOf(t, 0), MostBytes: 1000,
		Accept: []httpapi.Accepted{
			{Type: "image/gif", MostBytes: 2000},
			{Type: httpapi.Images},
			{Type: "video/x-msvideo", MostBytes: 5000},
			{Type: "audio/*", Gate: gateOf(t, 100)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	a := newAPI(t)
	for _, c := range []struct {
		kind   string
		bytes  int
		status int
	}{
		{"image/png", 1000, 201}, {"image/png", 1001, 413}, {"image/gif", 2000, 201}, {"image/gif", 2001, 413},
		{"video/x-msvideo", 5000, 201}, {"VIDEO/X-MSVIDEO", 5000, 201}, {"video/x-msvideo", 5001, 413}, {"video/mp4", 1, 415}, {"video/*", 1, 415},
		{"audio/ogg", 1, 503}, {"audio/ogg", 1001, 413}, {"text/plain", 1, 415}, {"", 1, 400}, {"/", 1, 415}, {"image", 1, 415},
	} {
		r := event(t, "uploads", body(fmt.Sprintf(`{"content_type":%q,"bytes":%d}`, c.kind, c.bytes)))
		answer := a.send(uploads.Handle, r)
		if answer.StatusCode != c.status {
			t.Errorf("%d bytes of %s: %d, want %d: %s", c.bytes, c.kind, answer.StatusCode, c.status, answer.Body)
		}
		if c.status == 201 && put.contentType != strings.ToLower(c.kind) {
			t.Errorf("signed is %q", put.contentType)
		}
		if c.status == 415 && !strings.Contains(answer.Body, "video/x-msvideo") {
			t.Errorf("nobody is told what is taken: %s", answer.Body)
		}
	}
}

func TestTypesThatAreNone(t *testing.T) {
	for _, kind := range []string{"", "video", "video/", "/avi", "*/*", "Video/avi", "video/mp4; codecs=avc1", "video/mp4 ", "video mp4/x"} {
		_, err := httpapi.NewUploads(httpapi.UploadsConfig{Presigner: &presigner{}, Gate: gateOf(t, 0), Accept: []httpapi.Accepted{{Type: kind}}})
		if err == nil || !strings.Contains(err.Error(), "Accept") {
			t.Errorf("%q is taken for a type: %v", kind, err)
		}
	}
}
