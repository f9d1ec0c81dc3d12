// Package signing signs what the site gives out and takes back: cookies, links in
// mails. One secret serves all of them: each end has a key of its own, derived from
// it, so that a signature is good for one thing only.
package signing

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// shortestSecret is the fewest bytes of a secret: as many as the hash has.
// https://www.rfc-editor.org/rfc/rfc2104#section-3
const shortestSecret = sha256.Size

// ErrShort: a secret of fewer bytes than the hash has protects less.
var ErrShort = errors.New("signing: a secret has 32 bytes or more")

// A Key signs for one end. It may be used by many goroutines.
type Key struct{ key []byte }

// New derives the key of an end from a secret of at least 32 bytes. A shorter one is
// ErrShort.
func New(secret []byte, end string) (Key, error) {
	if len(secret) < shortestSecret {
		return Key{}, ErrShort
	}
	return Key{key: sum(secret, end)}, nil
}

// Sign gives the signature of a text. It is safe in URLs and cookies.
func (k Key) Sign(text string) string {
	return base64.RawURLEncoding.EncodeToString(sum(k.key, text))
}

// Good tells whether a signature is that of the text, in the one spelling that Sign
// gives. The time it takes does not tell how much of it was right.
func (k Key) Good(text, signature string) bool {
	return hmac.Equal([]byte(signature), []byte(k.Sign(text)))
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
