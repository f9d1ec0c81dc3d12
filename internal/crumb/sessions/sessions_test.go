package sessions_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
)

const secret = "0123456789abcdef0123456789abcdef"

// A clock that the test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func made(t *testing.T, secret string, now func() time.Time) *sessions.Sessions {
	t.Helper()
	s, err := sessions.New([]byte(secret), now)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func with(cookie string) *http.Request {
	r := &http.Request{Header: http.Header{}}
	r.Header.Set("Cookie", sessions.Cookie+"="+cookie)
	return r
}

func TestASession(t *testing.T) {
	c := &clock{time.Unix(1_800_000_000, 0)}
	s := made(t, secret, c.now)
	cookie := s.Start(&http.Request{Header: http.Header{}}, "ada")
	if cookie.Secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode {
		t.Errorf("over plain HTTP: %v", cookie)
	}
	if reader, ok := s.Reader(with(cookie.Value)); !ok || reader != "ada" {
		t.Errorf("%q, %v", reader, ok)
	}
	c.at = c.at.Add(sessions.Life - time.Second)
	if _, ok := s.Reader(with(cookie.Value)); !ok {
		t.Error("it ended a second early")
	}
	c.at = c.at.Add(time.Second)
	if _, ok := s.Reader(with(cookie.Value)); ok {
		t.Error("it outlived its life")
	}
}

func TestBehindTLSTheCookieIsSecure(t *testing.T) {
	s := made(t, secret, time.Now)
	r := &http.Request{Header: http.Header{"X-Forwarded-Proto": {"https"}}}
	if !s.Start(r, "ada").Secure || !s.End(r).Secure {
		t.Error("the cookie may travel in the clear")
	}
	if end := s.End(r); end.MaxAge >= 0 || end.Value != "" {
		t.Errorf("the end of a session: %v", end)
	}
}

// Whatever is changed about a cookie, it is nobody's then.
func TestForgedCookies(t *testing.T) {
	s := made(t, secret, time.Now)
	real := s.Start(&http.Request{Header: http.Header{}}, "ada").Value
	other := made(t, strings.ToUpper(secret), time.Now).Start(&http.Request{Header: http.Header{}}, "ada").Value
	forged := map[string]string{"another secret's": other, "empty": "", "dots": "...", "unsigned": real[:strings.LastIndexByte(real, '.')]}
	for i := range real {
		changed := []byte(real)
		changed[i] = 'A' + (changed[i]+1)%26
		if string(changed) != real {
			forged["letter "+string(rune('0'+i))] = string(changed)
		}
	}
	for name, value := range forged {
		if reader, ok := s.Reader(with(value)); ok {
			t.Errorf("%s: passed for %q", name, reader)
		}
	}
}

func TestAWeakSecretIsRefused(t *testing.T) {
	if _, err := sessions.New([]byte("short"), time.Now); err == nil {
		t.Error("it signs with five bytes")
	}
	if _, err := sessions.New([]byte(secret), nil); err == nil {
		t.Error("it does without a clock")
	}
}

func FuzzReader(f *testing.F) {
	s, err := sessions.New([]byte(secret), time.Now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("a.b.c")
	f.Add(s.Start(&http.Request{Header: http.Header{}}, "ada").Value)
	f.Fuzz(func(t *testing.T, value string) {
		reader, ok := s.Reader(with(value))
		if ok && reader != "ada" {
			t.Errorf("%q passed for %q", value, reader)
		}
	})
}
