package resizer

import (
	"regexp"
	"sync"
)

// An upload is what an upload's key says.
type upload struct{ client, id string }

// uploadKey is compiled with the first photo, and not when the function starts.
var uploadKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^uploads/([A-Za-z0-9][A-Za-z0-9._=-]{0,63})/([A-Za-z0-9_-]{8,64})$`)
})

// parseUpload reads the key uploads/<client>/<id>. Whatever else a client sends
// is refused, so that no key leads out of the uploads.
func parseUpload(key string) (upload, error) {
	parts := uploadKey().FindStringSubmatch(key)
	if parts == nil {
		return upload{}, errBadKey
	}
	return upload{client: parts[1], id: parts[2]}, nil
}

// ResultKey is where a file made from an upload lies: photos/<id>/<file>. The
// path of its URL is the same with a slash before it.
func ResultKey(id, file string) string { return "photos/" + id + "/" + file }
