// Package photos says where photographs and what is known of them lie: uploads,
// the sizes made of them, and contents that are not allowed. It reads no pictures.
package photos

import (
	"regexp"
	"sync"

	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// An Upload is what an upload's key says.
type Upload struct{ Client, ID string }

// uploadKey is compiled with the first photo, and not when the function starts.
var uploadKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^uploads/([A-Za-z0-9][A-Za-z0-9._=-]{0,63})/([A-Za-z0-9_-]{8,64})$`)
})

// ParseUpload reads the key uploads/<client>/<id>; ok is false for whatever else a
// client sends, so that no key leads out of the uploads.
func ParseUpload(key string) (u Upload, ok bool) {
	parts := uploadKey().FindStringSubmatch(key)
	if parts == nil {
		return Upload{}, false
	}
	return Upload{Client: parts[1], ID: parts[2]}, true
}

// Key gives where the upload lies in the bucket.
func (u Upload) Key() string { return "uploads/" + u.Client + "/" + u.ID }

// ResultKey is where a file made from an upload lies: photos/<id>/<file>. The path
// of its URL is the same with a slash before it.
func ResultKey(id, file string) string { return "photos/" + id + "/" + file }

// Made are the sizes of a photo, for as long as there is the photo: the job's own
// result is kept for some days only. Key: photo#<id>, "photo".
type Made struct {
	Sizes []tasks.Size `dynamodbav:"sizes"`
}

// MadeKey is where the sizes of an upload are kept.
func MadeKey(id string) rows.Key { return rows.Key{Partition: "photo#" + id, Sort: "photo"} }
