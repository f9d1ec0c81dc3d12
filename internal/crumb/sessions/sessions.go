// Package sessions remembers who is signed in, by a signed cookie: nothing is
// stored, and nothing has to be read to answer a request. Signing out takes the
// cookie away.
package sessions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"time"
)

const (
	// Cookie is the cookie's name.
	Cookie = "crumb_session"
	// Life is how long a session lasts.
	Life = 30 * 24 * time.Hour
	// shortestSecret is the fewest bytes that sign: as many as the hash has.
	// https://www.rfc-editor.org/rfc/rfc2104#section-3
	shortestSecret = 32
)

// Sessions signs and reads cookies. It may be used by many goroutines.
type Sessions struct {
	key []byte
	now func() time.Time
}

// New makes Sessions of a secret of at least 32 bytes; it may serve other ends too,
// for the key is derived from it. now is the clock.
func New(secret []byte, now func() time.Time) (*Sessions, error) {
	if len(secret) < shortestSecret || now == nil {
		return nil, errors.New("sessions: New needs a secret of 32 bytes or more, and a clock")
	}
	return &Sessions{key: sum(secret, "crumb session cookie"), now: now}, nil
}

// Start makes the cookie of a reader who has just proved who they are. r is the
// request that did it: over plain HTTP, as on a laptop, the cookie is one that
// browsers send back over plain HTTP.
func (s *Sessions) Start(r *http.Request, reader string) *http.Cookie {
	expires := binary.BigEndian.AppendUint64(nil, uint64(s.now().Add(Life).Unix()))
	value := encode(expires) + "." + encode([]byte(reader))
	return cookie(r, value+"."+encode(sum(s.key, value)), int(Life.Seconds()))
}

// End makes the cookie that signs out.
func (s *Sessions) End(r *http.Request) *http.Cookie { return cookie(r, "", -1) }

func cookie(r *http.Request, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: Cookie, Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: r.Header.Get("X-Forwarded-Proto") == "https",
	}
}

// Reader tells who sent the request; ok is false for those who are not signed in,
// any more, or never were.
func (s *Sessions) Reader(r *http.Request) (reader string, ok bool) {
	c, err := r.Cookie(Cookie)
	if err != nil {
		return "", false
	}
	value, signature, found := cutLast(c.Value)
	signed, err := decode(signature)
	if !found || err != nil || !hmac.Equal(signed, sum(s.key, value)) {
		return "", false
	}
	// From here on it is our own writing.
	head, tail, _ := strings.Cut(value, ".")
	expires, err := decode(head)
	name, err2 := decode(tail)
	if err != nil || err2 != nil || len(expires) != 8 {
		return "", false
	}
	if end := time.Unix(int64(binary.BigEndian.Uint64(expires)), 0); !s.now().Before(end) {
		return "", false
	}
	return string(name), true
}

func cutLast(s string) (before, after string, found bool) {
	at := strings.LastIndexByte(s, '.')
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+1:], true
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func encode(data []byte) string          { return base64.RawURLEncoding.EncodeToString(data) }
func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
