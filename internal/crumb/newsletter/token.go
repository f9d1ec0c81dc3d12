package newsletter

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/nightshift-go/nightshift/internal/crumb/signing"
)

// Tokens are what links in mails unsubscribe by: the reader's id, signed. They don't
// expire, since mails don't, and can do nothing else. They may be used by many
// goroutines.
type Tokens struct{ key signing.Key }

// NewTokens makes Tokens of a secret of at least 32 bytes; it may serve other ends
// too, for the key is derived from it.
func NewTokens(secret []byte) (*Tokens, error) {
	key, err := signing.New(secret, "crumb newsletter unsubscribe")
	if err != nil {
		return nil, fmt.Errorf("newsletter: NewTokens: %w", err)
	}
	return &Tokens{key: key}, nil
}

// Of gives the token of a reader. It is safe in URLs.
func (t *Tokens) Of(reader string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(reader)) + "." + t.key.Sign(reader)
}

// Reader tells whose token it is; ok is false for any other text.
func (t *Tokens) Reader(token string) (reader string, ok bool) {
	name, signature, _ := strings.Cut(token, ".")
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(name)
	// A decoder passes over line ends: a token has one spelling.
	if err != nil || len(decoded) == 0 || strings.ContainsAny(name, "\r\n") || !t.key.Good(string(decoded), signature) {
		return "", false
	}
	return string(decoded), true
}
