package newsletter

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// shortestSecret is as many bytes as the hash has.
// https://www.rfc-editor.org/rfc/rfc2104#section-3
const shortestSecret = 32

// Tokens are what links in mails unsubscribe by: the reader's id, signed. They don't
// expire, since mails don't, and can do nothing else. They may be used by many
// goroutines.
type Tokens struct{ key []byte }

// NewTokens makes Tokens of a secret of at least 32 bytes; it may serve other ends
// too, for the key is derived from it.
func NewTokens(secret []byte) (*Tokens, error) {
	if len(secret) < shortestSecret {
		return nil, errors.New("newsletter: NewTokens needs a secret of 32 bytes or more")
	}
	return &Tokens{key: sum(secret, "crumb newsletter unsubscribe")}, nil
}

// Of gives the token of a reader. It is safe in URLs.
func (t *Tokens) Of(reader string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(reader)) + "." + base64.RawURLEncoding.EncodeToString(sum(t.key, reader))
}

// Reader tells whose token it is; ok is false for any other text.
func (t *Tokens) Reader(token string) (reader string, ok bool) {
	name, signature, _ := strings.Cut(token, ".")
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(name)
	if err != nil || len(decoded) == 0 {
		return "", false
	}
	signed, err := base64.RawURLEncoding.Strict().DecodeString(signature)
	// A decoder passes over line ends: a token has one spelling.
	if err != nil || strings.ContainsAny(token, "\r\n") || !hmac.Equal(signed, sum(t.key, string(decoded))) {
		return "", false
	}
	return string(decoded), true
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
