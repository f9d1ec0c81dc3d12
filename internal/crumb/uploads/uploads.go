// Package uploads is how workers get at what people uploaded: whose it is, what it
// holds, and what to tell the person where it can't be had.
package uploads

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
)

// An Upload is what an upload's key says.
type Upload struct {
	// Key is where it lies: uploads/<client>/<id>.
	Key string
	// Client is whose it is, ID what the keys of results are made of.
	Client, ID string
}

// uploadKey is compiled with the first upload, and not when the program starts.
var uploadKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^uploads/([A-Za-z0-9][A-Za-z0-9._=-]{0,63})/([A-Za-z0-9_-]{8,64})$`)
})

// Parse reads the key of an upload that client asks for; an empty client may have
// anybody's. Whatever else a client sends is refused, so that no key leads out of
// the uploads. The error is a *Refusal.
func Parse(key, client string) (Upload, error) {
	parts := uploadKey().FindStringSubmatch(key)
	switch {
	case parts == nil:
		return Upload{}, &Refusal{code: "bad_key", sentence: "This is not an upload: pass on the key that the upload was given."}
	case client != "" && parts[1] != client:
		return Upload{}, &Refusal{code: "not_your_upload", sentence: "This upload belongs to somebody else."}
	}
	return Upload{Key: key, Client: parts[1], ID: parts[2]}, nil
}

// Fetch reads an upload of at most limit bytes. The error is a *Refusal where the
// upload is to blame, and the bucket's otherwise.
//
// S3 is strongly consistent, and the page asks for work only after its upload
// succeeded: what is missing now will not turn up later.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel
func Fetch(ctx context.Context, from objects.Getter, u Upload, limit int64) (data []byte, contentType string, err error) {
	data, contentType, err = from.Get(ctx, u.Key, limit)
	switch {
	case errors.Is(err, objects.ErrMissing):
		err = &Refusal{code: "upload_missing", cause: err,
			sentence: "The uploaded file is not there: it never arrived, or it was removed after a week. Please upload it again."}
	case errors.Is(err, objects.ErrTooLarge):
		err = &Refusal{code: "upload_too_large", cause: err,
			sentence: fmt.Sprintf("The file is larger than %d MB. Please choose a smaller one.", limit>>20)}
	case err != nil:
		err = fmt.Errorf("uploads: fetching %s: %w", u.Key, err)
	}
	return data, contentType, err
}
