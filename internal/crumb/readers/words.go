package readers

import (
	"fmt"
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is accepted of a new reader.
const (
	MostName = 60 // characters
	// LeastPassword is in characters. NIST wants 8 at least, and no rules of
	// composition. https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver
	LeastPassword = 8
	MostPassword  = 128
	// Of an address, in bytes. https://www.rfc-editor.org/rfc/rfc5321#section-4.5.3.1
	mostAddress = 254
	mostLocal   = 64
	mostLabel   = 63
)

// A BadInput says what is wrong with what somebody typed, for them.
type BadInput struct{ Detail string }

// Error gives the detail.
func (b *BadInput) Error() string { return b.Detail }

func bad(format string, args ...any) error { return &BadInput{Detail: fmt.Sprintf(format, args...)} }

// Address checks an e-mail address and gives the form under which it belongs to
// one reader: in small letters, since nobody's two mailboxes differ in capitals
// alone. Who is written to gets their own spelling.
//
// Only what mail really reaches is accepted: a plain name (RFC 5322's dot-atom) at
// a domain of the public DNS, both in ASCII, as SES has it.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
func Address(text string) (string, error) {
	parsed, err := mail.ParseAddress(text)
	local, domain, _ := strings.Cut(text, "@")
	switch {
	case len(text) > mostAddress || len(local) > mostLocal:
		return "", bad("the e-mail address is too long")
	case err != nil || parsed.Name != "" || parsed.Address != text || !isASCII(text) || strings.ContainsAny(text, "\"\\ "):
		return "", bad("that is not an e-mail address: write it like ada@example.com")
	case !isDomain(domain):
		return "", bad("the e-mail address ends in no domain that mail can be sent to")
	}
	return strings.ToLower(text), nil
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r >= unicode.MaxASCII }) < 0
}

// isDomain tells whether text is a name of two labels or more.
// https://www.rfc-editor.org/rfc/rfc1123#section-2.1
func isDomain(text string) bool {
	labels := strings.Split(text, ".")
	for _, label := range labels {
		if label == "" || len(label) > mostLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		if strings.IndexFunc(label, notInLabel) >= 0 {
			return false
		}
	}
	top := labels[len(labels)-1]
	return len(labels) > 1 && strings.Trim(top, "0123456789") != "" // no IP address
}

func notInLabel(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// Name checks what a reader is to be called, and gives it without spaces around it.
// It goes into pages and into the headers of mail: what can't be seen is refused.
func Name(text string) (string, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return "", bad("a name is missing")
	case n > MostName:
		return "", bad("the name has %d characters, and %d are allowed", n, MostName)
	case !utf8.ValidString(text) || strings.IndexFunc(text, invisible) >= 0:
		return "", bad("the name has characters that can't be seen")
	}
	return text, nil
}

// invisible tells control characters, and those that turn the direction of text.
func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.In(r, unicode.Zl, unicode.Zp)
}

// password checks a new password.
func password(text string) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return bad("the password is no text")
	case n < LeastPassword:
		return bad("the password is too short: it needs %d characters", LeastPassword)
	case n > MostPassword:
		return bad("the password has %d characters, and %d are allowed", n, MostPassword)
	}
	return nil
}
