package uploads_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/pkg/job"
)

const id = "0123456789abcdefghjkmnpqrs"

func TestParse(t *testing.T) {
	for name, c := range map[string]struct{ key, client, code string }{
		"one's own":         {"uploads/ada/" + id, "ada", ""},
		"anybody's":         {"uploads/ada/" + id, "", ""},
		"another's":         {"uploads/ada/" + id, "bob", "not_your_upload"},
		"a result":          {"videos/ada/" + id, "", "bad_key"},
		"no client":         {"uploads/" + id, "", "bad_key"},
		"deeper":            {"uploads/ada/" + id + "/more", "", "bad_key"},
		"dots":              {"uploads/../" + id, "", "bad_key"},
		"dots as the id":    {"uploads/ada/..", "", "bad_key"},
		"nothing":           {"", "", "bad_key"},
		"a line feed":       {"uploads/ada/" + id + "\n", "", "bad_key"},
		"a slash before it": {"/uploads/ada/" + id, "", "bad_key"},
	} {
		got, err := uploads.Parse(c.key, c.client)
		if c.code == "" {
			if err != nil || got != (uploads.Upload{Key: c.key, Client: "ada", ID: id}) {
				t.Errorf("%s: %+v, %v", name, got, err)
			}
			continue
		}
		if job.ErrorCode(err) != c.code || !strings.HasSuffix(err.Error(), ".") {
			t.Errorf("%s: %v, want the code %s", name, err, c.code)
		}
	}
}

// No key leads out of the uploads, whatever it is.
func FuzzParse(f *testing.F) {
	f.Add("uploads/ada/"+id, "ada")
	f.Add("uploads/../"+id, "")
	f.Fuzz(func(t *testing.T, key, client string) {
		upload, err := uploads.Parse(key, client)
		if err != nil {
			return
		}
		if key != "uploads/"+upload.Client+"/"+upload.ID || strings.ContainsAny(upload.Client+upload.ID, "/\\%\x00 \n") || upload.Client[0] == '.' {
			t.Errorf("%q is %+v", key, upload)
		}
		if client != "" && upload.Client != client {
			t.Errorf("%q has %q", client, key)
		}
	})
}

type getter struct{ err error }

func (g getter) Get(context.Context, string, int64) ([]byte, string, error) {
	return []byte("film"), "video/avi", g.err
}

func TestFetch(t *testing.T) {
	u := uploads.Upload{Key: "uploads/ada/" + id}
	if data, kind, err := uploads.Fetch(t.Context(), getter{}, u, 1<<20); string(data) != "film" || kind != "video/avi" || err != nil {
		t.Errorf("%q, %q, %v", data, kind, err)
	}
	unavailable := errors.New("503 SlowDown")
	for _, c := range []struct {
		err  error
		code string
	}{{objects.ErrMissing, "upload_missing"}, {objects.ErrTooLarge, "upload_too_large"}, {unavailable, ""}} {
		_, _, err := uploads.Fetch(t.Context(), getter{c.err}, u, 64<<20)
		var refusal *uploads.Refusal
		if !errors.Is(err, c.err) || errors.As(err, &refusal) != (c.code != "") || refusal != nil && refusal.ErrorCode() != c.code {
			t.Errorf("%v became %v", c.err, err)
		}
	}
}

func TestRefuse(t *testing.T) {
	cause := errors.New("EOF")
	r := uploads.Refuse("truncated", "the file ends early", cause)
	if r.Error() != "The file ends early." || r.ErrorCode() != "truncated" || !errors.Is(r, cause) {
		t.Errorf("%q, %q", r, r.ErrorCode())
	}
}
