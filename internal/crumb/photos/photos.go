// Package photos says where what is made of photographs lies, and what is known of
// them: their sizes, and contents that are not allowed. It decodes no pictures.
package photos

import (
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// ResultKey is where a file made from an upload lies: photos/<id>/<file>. The path
// of its URL is the same with a slash before it.
func ResultKey(id, file string) string { return "photos/" + id + "/" + file }

// Made are the sizes of a photo, for as long as there is the photo: the job's own
// result is kept for some days only. Key: photo#<id>, "photo".
type Made struct {
	Sizes []tasks.Size `dynamodbav:"sizes"`
	// More tells that the other sizes are made later.
	More bool `dynamodbav:"more,omitempty"`
}

// MadeKey is where the sizes of an upload are kept.
func MadeKey(id string) rows.Key { return rows.Key{Partition: "photo#" + id, Sort: "photo"} }
