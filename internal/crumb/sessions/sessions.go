// Package sessions remembers who is signed in, by a signed cookie: nothing is
// stored, and nothing has to be read to answer a request. Signing out takes the
// cookie away.
package sessions

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/signing"
)

const (
	// Cookie is the cookie's name.
	Cookie = "crumb_session"
	// Life is how long a session lasts.
	Life = 30 * 24 * time.Hour
)

// Sessions signs and reads cookies. It may be used by many goroutines.
type Sessions struct {
	key, browsers signing.Key
	now           func() time.Time
	random        io.Reader
}

// New makes Sessions of a secret of at least 32 bytes; it may serve other ends too,
// for the key is derived from it. now is the clock.
func New(secret []byte, now func() time.Time) (*Sessions, error) {
	key, err := signing.New(secret, "crumb session cookie")
	browsers, err2 := signing.New(secret, "crumb browser cookie")
	err = errors.Join(err, err2)
	if now == nil {
		err = errors.Join(err, errors.New("a clock is required"))
	}
	if err != nil {
		return nil, fmt.Errorf("sessions: New: %w", err)
	}
	return &Sessions{key: key, browsers: browsers, now: now, random: rand.Reader}, nil
}

// Start makes the cookie of a reader who has just proved who they are. r is the
// request that did it: over plain HTTP, as on a laptop, the cookie is one that
// browsers send back over plain HTTP.
func (s *Sessions) Start(r *http.Request, reader string) *http.Cookie {
	expires := binary.BigEndian.AppendUint64(nil, uint64(s.now().Add(Life).Unix()))
	value := encode(expires) + "." + encode([]byte(reader))
	return cookie(r, value+"."+s.key.Sign(value), int(Life.Seconds()))
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
	if !found || !s.key.Good(value, signature) {
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

func encode(data []byte) string          { return base64.RawURLEncoding.EncodeToString(data) }
func decode(text string) ([]byte, error) { return base64.RawURLEncoding.Strict().DecodeString(text) }
