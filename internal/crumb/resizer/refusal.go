package resizer

import (
	"unicode"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
)

// A Refusal says why a photograph can never be resized. Its text is a sentence
// for the person who uploaded it; the job shows it with the code.
type Refusal struct {
	code     string
	sentence string
	cause    error
}

// The reasons that are not the photograph's own.
var (
	errBadKey   = &Refusal{code: "bad_key", sentence: "This is not an upload: pass on the key that the upload was given."}
	errNotYours = &Refusal{code: "not_your_upload", sentence: "This upload belongs to somebody else."}
	// S3 is strongly consistent, and the page asks for sizes only after its
	// upload succeeded: what is missing now will not turn up later.
	// https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel
	errMissing  = &Refusal{code: "upload_missing", sentence: "The uploaded file is not there: it never arrived, or it was removed after a week. Please upload the photo again."}
	errTooLarge = &Refusal{code: "upload_too_large", sentence: "The file is larger than 25 MB. Please choose a smaller photo."}
	errBlocked  = &Refusal{code: "not_allowed", sentence: "This picture is not allowed on Crumb."}
)

// Error gives the sentence.
func (r *Refusal) Error() string { return r.sentence }

// ErrorCode gives the stable code, by which programs decide.
func (r *Refusal) ErrorCode() string { return r.code }

// Unwrap gives the technical reason, or nil.
func (r *Refusal) Unwrap() error { return r.cause }

func (r *Refusal) because(cause error) *Refusal {
	return &Refusal{code: r.code, sentence: r.sentence, cause: cause}
}

// refuse turns what is wrong with a photograph into a sentence.
func refuse(bad *photo.BadPhotoError) *Refusal {
	first, n := utf8.DecodeRuneInString(bad.Message)
	return &Refusal{
		code:     string(bad.Code),
		sentence: string(unicode.ToUpper(first)) + bad.Message[n:] + ".",
		cause:    bad,
	}
}
