package uploads

import (
	"unicode"
	"unicode/utf8"
)

// A Refusal says why an upload can never be worked on. Its text is a sentence for
// the person who uploaded it; the job shows it with the code.
type Refusal struct {
	code     string
	sentence string
	cause    error
}

// Refuse makes a Refusal of a phrase without a capital or a full stop.
func Refuse(code, phrase string, cause error) *Refusal {
	first, n := utf8.DecodeRuneInString(phrase)
	return &Refusal{code: code, sentence: string(unicode.ToUpper(first)) + phrase[n:] + ".", cause: cause}
}

// Error gives the sentence.
func (r *Refusal) Error() string { return r.sentence }

// ErrorCode gives the stable code, by which programs decide.
func (r *Refusal) ErrorCode() string { return r.code }

// Unwrap gives the technical reason, or nil.
func (r *Refusal) Unwrap() error { return r.cause }
