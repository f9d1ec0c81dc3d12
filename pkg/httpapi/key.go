package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// LongestKey is the most characters that an Idempotency-Key may have.
const LongestKey = 255

// LeastSecret is the fewest bytes that the secret for ids must have.
const LeastSecret = 16

var errKey = errors.New(`an Idempotency-Key is one string in double quotes ("8e03978e-40d5"), or the same without quotes, of 1 to 255 printable ASCII characters`)

// parseKey reads an Idempotency-Key header: a string of RFC 8941, section 3.3.3,
// as the IETF's draft has it; and, since most clients send it so, the bare text
// without quotes, spaces, commas, semicolons and backslashes. Both spellings name
// the same key. A header that was sent twice is malformed, even if both are
// equal: which was meant can't be known.
// https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/
func parseKey(header string) (string, error) {
	header = strings.Trim(header, " \t")
	key := header
	if quoted, ok := strings.CutPrefix(header, `"`); ok {
		var err error
		if key, err = unquote(quoted); err != nil {
			return "", err
		}
	} else if strings.ContainsAny(key, " \",;\\") {
		return "", errKey
	}
	if key == "" || len(key) > LongestKey {
		return "", errKey
	}
	for i := range len(key) {
		if key[i] < ' ' || key[i] > '~' {
			return "", errKey
		}
	}
	return key, nil
}

// unquote reads what follows the opening quote, up to the closing one, which ends
// the text.
func unquote(text string) (string, error) {
	var key strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			if i != len(text)-1 {
				return "", errKey
			}
			return key.String(), nil
		case '\\':
			if i++; i == len(text) || text[i] != '"' && text[i] != '\\' {
				return "", errKey
			}
			key.WriteByte(text[i])
		default:
			key.WriteByte(c)
		}
	}
	return "", errKey
}

// idFor makes the id of the job that a client's key stands for on a route: the
// same each time, and not to be guessed by those who don't have the secret. The
// parts' lengths go before them, so that no two lists of parts read the same.
func idFor(secret []byte, client, route, key string) job.ID {
	mac := hmac.New(sha256.New, secret)
	for _, part := range []string{client, route, key} {
		var length [8]byte
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		mac.Write(length[:])
		mac.Write([]byte(part))
	}
	return job.IDOf([16]byte(mac.Sum(nil)[:16]))
}

// fingerprintOf tells requests of one key apart by their arguments, which are
// compared as they were understood: white space and the order of fields don't
// matter.
func fingerprintOf(args []byte) string {
	sum := sha256.Sum256(args)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func checkSecret(secret []byte) error {
	if len(secret) < LeastSecret {
		return fmt.Errorf("httpapi: the secret has %d bytes: at least %d random ones", len(secret), LeastSecret)
	}
	return nil
}

// checkDocs holds the address of a page to what can stand in a Link header.
func checkDocs(page string) error {
	if page == "" {
		return nil
	}
	if u, err := url.Parse(page); err != nil || !u.IsAbs() || strings.ContainsAny(page, "<>\" ") {
		return fmt.Errorf("httpapi: EnqueueConfig.KeyDocs %.80q is no absolute URL", page)
	}
	return nil
}
