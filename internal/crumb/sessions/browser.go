package sessions

import (
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/pkg/job"
)

const (
	// BrowserCookie is the name of the cookie by which a browser is known again.
	BrowserCookie = "crumb_browser"
	// BrowserLife is how long a browser is known.
	BrowserLife = 365 * 24 * time.Hour
)

// Know makes the cookie of a browser in which the owner of an account has just proved
// who they are. It signs nobody in: it tells them from strangers who try passwords.
// account is what Known is asked with; the same browser keeps its name.
func (s *Sessions) Know(r *http.Request, account string) (*http.Cookie, error) {
	browser, ok := s.Known(r, account)
	if !ok {
		id, err := job.NewID(s.random)
		if err != nil {
			return nil, err
		}
		browser = string(id)
	}
	c := cookie(r, browser+"."+s.browsers.Sign(browser+" "+account), int(BrowserLife.Seconds()))
	c.Name = BrowserCookie
	return c, nil
}

// Known tells whether the owner of an account was signed in where the request comes
// from, and the browser's name. The cookie of one account says nothing of another.
func (s *Sessions) Known(r *http.Request, account string) (browser string, ok bool) {
	c, err := r.Cookie(BrowserCookie)
	if err != nil {
		return "", false
	}
	browser, signature, found := cutLast(c.Value)
	if !found || !s.browsers.Good(browser+" "+account, signature) {
		return "", false
	}
	return browser, true
}
