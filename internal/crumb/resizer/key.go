package resizer

import (
	"regexp"
	"strings"
)

// An upload is what an upload's key says.
type upload struct{ client, id string }

var (
	clientSegment = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._=-]{0,63}$`)
	uploadID      = regexp.MustCompile(`^[A-Za-z0-9_-]{8,64}$`)
)

// parseUpload reads the key uploads/<client>/<id>. Whatever else a client sends
// is refused, so that no key leads out of the uploads.
func parseUpload(key string) (upload, error) {
	parts := strings.Split(key, "/")
	if len(parts) != 3 || parts[0] != "uploads" || !clientSegment.MatchString(parts[1]) || !uploadID.MatchString(parts[2]) {
		return upload{}, errBadKey
	}
	return upload{client: parts[1], id: parts[2]}, nil
}

// ResultKey is where a file made from an upload lies: photos/<id>/<file>. The
// path of its URL is the same with a slash before it.
func ResultKey(id, file string) string { return "photos/" + id + "/" + file }
