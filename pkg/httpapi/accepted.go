package httpapi

import (
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/admission"
)

// Accepted are uploads of one media type, or of one kind.
type Accepted struct {
	// Type is a media type in lower case, without parameters: "video/x-msvideo",
	// or "image/*" for all of a kind.
	Type string
	// MostBytes is the largest of them; zero means UploadsConfig.MostBytes.
	MostBytes int64
	// Gate is that of the queue where they are worked on; nil means
	// UploadsConfig.Gate.
	Gate *admission.Gate
}

// Images is what uploads are by default.
const Images = "image/*"

// check reports a type that makes no sense.
func (a Accepted) check() error {
	parsed, _, err := mime.ParseMediaType(a.Type)
	kind, subtype, _ := strings.Cut(a.Type, "/")
	if err != nil || parsed != a.Type || kind == "*" || subtype == "" || a.MostBytes < 0 {
		return fmt.Errorf("httpapi: UploadsConfig.Accept has %q of at most %d bytes: use a media type, or image/* for a kind", a.Type, a.MostBytes)
	}
	return nil
}

// accepted gives what is accepted, with its defaults.
func (c UploadsConfig) accepted() []Accepted {
	if len(c.Accept) == 0 {
		return []Accepted{{Images, c.MostBytes, c.Gate}}
	}
	all := slices.Clone(c.Accept)
	for i := range all {
		if all[i].MostBytes == 0 {
			all[i].MostBytes = c.MostBytes
		}
		if all[i].Gate == nil {
			all[i].Gate = c.Gate
		}
	}
	return all
}

// accept finds what a media type is accepted as.
func (c UploadsConfig) accept(contentType string) (Accepted, bool) {
	kind, subtype, _ := strings.Cut(contentType, "/")
	at := slices.IndexFunc(c.Accept, func(a Accepted) bool { return a.Type == contentType || a.Type == kind+"/*" })
	if at < 0 || subtype == "" || subtype == "*" || len(subtype) > mostTypeName {
		return Accepted{}, false
	}
	return c.Accept[at], true
}

// taken says which types are.
func (c UploadsConfig) taken() string {
	others := make([]string, 0, len(c.Accept))
	for _, a := range c.Accept {
		if a.Type != Images {
			others = append(others, a.Type)
		}
	}
	const images = "images are taken (image/jpeg, image/png, …)"
	switch {
	case len(others) == 0:
		return images
	case len(others) < len(c.Accept):
		return images + ", and " + strings.Join(others, ", ")
	}
	return "taken are " + strings.Join(others, ", ")
}
