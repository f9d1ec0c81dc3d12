package clip

import (
	"errors"
	"image/jpeg"
	"io"
	"strings"
)

// A Code names the kind of fault of a bad film. Codes are stable: callers store
// them and decide on them.
type Code string

// The faults that a film can have.
const (
	// CodeEmpty: there are no bytes.
	CodeEmpty Code = "empty"
	// CodeNotAVideo: the content is no film of any kind known.
	CodeNotAVideo Code = "not_a_video"
	// CodeUnsupported: a film, but of a kind or codec that is not read.
	CodeUnsupported Code = "unsupported"
	// CodeTypeMismatch: a film of another type than declared.
	CodeTypeMismatch Code = "type_mismatch"
	// CodeTooLarge: its frames have more pixels than MaxPixels, MaxEdge or
	// MaxMemory allow.
	CodeTooLarge Code = "too_large_dimensions"
	// CodeTooLong: it is longer than MaxDuration or MaxFrames.
	CodeTooLong Code = "too_long"
	// CodeTruncated: the file ends before the film does.
	CodeTruncated Code = "truncated"
	// CodeCorrupt: the content breaks the rules of its format.
	CodeCorrupt Code = "corrupt"
)

// A BadClipError says why a film can never be worked on. Trying again is of no
// use.
type BadClipError struct {
	// Code is for programs.
	Code Code
	// Message is for the person who uploaded it: a phrase without a capital or a
	// full stop.
	Message string

	cause error
}

// Error returns the code and the message.
func (e *BadClipError) Error() string { return "clip: " + string(e.Code) + ": " + e.Message }

// Unwrap returns the decoder's own error, or nil.
func (e *BadClipError) Unwrap() error { return e.cause }

func bad(code Code, message string, cause error) error {
	return &BadClipError{Code: code, Message: message, cause: cause}
}

func truncated(cause error) error {
	return bad(CodeTruncated, "the file ends before the film does; please upload it again", cause)
}

func corrupt(cause error) error {
	return bad(CodeCorrupt, "the film is damaged and cannot be opened", cause)
}

// refuse turns a decoder's error into one for the person.
func refuse(err error) error {
	var known *BadClipError
	var kind jpeg.UnsupportedError
	switch {
	case errors.As(err, &known):
		return err
	case errors.As(err, &kind):
		return bad(CodeUnsupported, "the film uses a rare variant of its format that is not supported", err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), strings.Contains(err.Error(), "unexpected EOF"),
		strings.Contains(err.Error(), "not enough image data"):
		return truncated(err)
	}
	return corrupt(err)
}
