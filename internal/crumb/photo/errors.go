package photo

import (
	"errors"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
)

// A Code names the kind of fault of a bad photograph. Codes are stable: callers
// store them and decide on them.
type Code string

// The faults that a photograph can have.
const (
	// CodeEmpty: there are no bytes.
	CodeEmpty Code = "empty"
	// CodeNotAnImage: the content is no picture of any kind known.
	CodeNotAnImage Code = "not_an_image"
	// CodeHEIC: a HEIC or HEIF picture, whatever it was called.
	CodeHEIC Code = "heic_not_supported"
	// CodeUnsupported: a picture, but of a kind that is not read.
	CodeUnsupported Code = "unsupported"
	// CodeTypeMismatch: a picture of another type than declared.
	CodeTypeMismatch Code = "type_mismatch"
	// CodeTooLarge: it declares more pixels than MaxPixels, MaxEdge or
	// MaxMemory allow.
	CodeTooLarge Code = "too_large_dimensions"
	// CodeTruncated: the file ends before the picture does.
	CodeTruncated Code = "truncated"
	// CodeCorrupt: the content breaks the rules of its format.
	CodeCorrupt Code = "corrupt"
)

// A BadPhotoError says why a photograph can never be resized. Trying again is
// of no use.
type BadPhotoError struct {
	// Code is for programs.
	Code Code
	// Message is for the person who uploaded it: a phrase without a capital or
	// a full stop, free of jargon.
	Message string

	cause error
}

// Error returns the code and the message.
func (e *BadPhotoError) Error() string { return "photo: " + string(e.Code) + ": " + e.Message }

// Unwrap returns the decoder's own error, or nil.
func (e *BadPhotoError) Unwrap() error { return e.cause }

func bad(code Code, message string, cause error) error {
	return &BadPhotoError{Code: code, Message: message, cause: cause}
}

func truncated(cause error) error {
	return bad(CodeTruncated, "the file ends before the picture does; please upload it again", cause)
}

func corrupt(cause error) error {
	return bad(CodeCorrupt, "the picture is damaged and cannot be opened", cause)
}

// endings are what decoders say, in words only, when their input ends early.
var endings = []string{"unexpected EOF", "not enough image data", "not enough pixel data", "short Huffman data"}

// refuse turns a decoder's error into one for the person.
func refuse(err error) error {
	var known *BadPhotoError
	if errors.As(err, &known) {
		return err
	}
	var jpegKind jpeg.UnsupportedError
	var pngKind png.UnsupportedError
	if errors.As(err, &jpegKind) || errors.As(err, &pngKind) {
		return bad(CodeUnsupported, "this rare variant of the format is not supported; please save the picture as an ordinary JPEG", err)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return truncated(err)
	}
	for _, words := range endings {
		if strings.Contains(err.Error(), words) {
			return truncated(err)
		}
	}
	return corrupt(err)
}
