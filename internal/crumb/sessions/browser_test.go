package sessions_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
)

func TestABrowserIsKnownAgain(t *testing.T) {
	s := made(t, secret, time.Now)
	fresh := &http.Request{Header: http.Header{}}
	cookie, err := s.Know(fresh, "ada@example.org")
	if err != nil || !cookie.HttpOnly || cookie.MaxAge != int(sessions.BrowserLife.Seconds()) || cookie.Name != sessions.BrowserCookie {
		t.Fatalf("%v %v", cookie, err)
	}
	again := &http.Request{Header: http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}}}
	name, ok := s.Known(again, "ada@example.org")
	if !ok || name == "" {
		t.Error("it is forgotten")
	}
	if same, err := s.Know(again, "ada@example.org"); err != nil || same.Value != cookie.Value {
		t.Errorf("it got another name: %v", err)
	}
	if other, err := s.Know(fresh, "ada@example.org"); err != nil || other.Value == cookie.Value {
		t.Errorf("two browsers have one name: %v", err)
	}
	for what, r := range map[string]*http.Request{
		"no cookie": fresh, "nonsense": {Header: http.Header{"Cookie": {cookie.Name + "=x"}}},
		"another name": {Header: http.Header{"Cookie": {cookie.Name + "=x" + cookie.Value}}},
	} {
		if _, ok := s.Known(r, "ada@example.org"); ok {
			t.Errorf("%s is known", what)
		}
	}
	if _, ok := s.Known(again, "bob@example.org"); ok {
		t.Error("it is known for another account")
	}
	if _, ok := s.Reader(again); ok {
		t.Error("it signs in")
	}
	if _, ok := made(t, secret+"!", time.Now).Known(again, "ada@example.org"); ok {
		t.Error("known under another secret")
	}
}
