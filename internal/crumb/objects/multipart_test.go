package objects_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
)

// S3 says of every call alike that there is no such upload.
func TestAnUploadThatIsGone(t *testing.T) {
	code := "NoSuchUpload"
	o := bucket(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "<Error><Code>"+code+"</Code><Message>It may have been aborted or completed.</Message></Error>")
	})
	calls := map[string]func() error{
		"a part":   func() error { return o.UploadPart(t.Context(), "exports/1.zip", "id", 1, []byte("x")) },
		"complete": func() error { return o.CompleteUpload(t.Context(), "exports/1.zip", "id", 1) },
	}
	for name, call := range calls {
		if err := call(); !errors.Is(err, objects.ErrNoUpload) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := o.AbortUpload(t.Context(), "exports/1.zip", "id"); err != nil {
		t.Errorf("giving up what is gone: %v", err)
	}
	code = "NoSuchBucket"
	for name, call := range calls {
		if err := call(); err == nil || errors.Is(err, objects.ErrNoUpload) {
			t.Errorf("%s, without a bucket: %v", name, err)
		}
	}
}

// Parts behind the last are left-overs: the object is made of those up to it, with the
// tags that S3 tells.
func TestCompletingWithLeftOvers(t *testing.T) {
	var sent string
	o := bucket(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, "<ListPartsResult><Part><PartNumber>1</PartNumber><ETag>one</ETag></Part>"+
				"<Part><PartNumber>2</PartNumber><ETag>two</ETag></Part><Part><PartNumber>3</PartNumber><ETag>three</ETag></Part></ListPartsResult>")
			return
		}
		body, _ := io.ReadAll(r.Body)
		sent = string(body)
		_, _ = io.WriteString(w, "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>")
	})
	if err := o.CompleteUpload(t.Context(), "exports/1.zip", "id", 2); err != nil {
		t.Fatal(err)
	}
	want := `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Part><ETag>one</ETag><PartNumber>1</PartNumber></Part><Part><ETag>two</ETag><PartNumber>2</PartNumber></Part></CompleteMultipartUpload>`
	if sent != want {
		t.Errorf("it was completed by\n%s\nwant\n%s", sent, want)
	}
}
