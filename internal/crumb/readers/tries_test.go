package readers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A door is where readers sign in, under a clock that the test moves.
type door struct {
	t   *testing.T
	api *site.Site
	now time.Time
	log strings.Builder
}

func newDoor(t *testing.T, driver store.Driver) *door {
	t.Helper()
	d := &door{t: t, now: time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return d.now }
	signed, err1 := sessions.New([]byte(strings.Repeat("s", 32)), clock)
	api, err2 := site.New(site.Config{Sessions: signed})
	tries, err3 := readers.NewTries(readers.TriesConfig{Driver: driver, Now: clock, Logger: slog.New(slog.NewTextHandler(&d.log, nil))})
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	accounts := on(t, rowstest.New(t), cheap)
	signUp(t, accounts, "ada")
	signUp(t, accounts, "bob")
	readers.NewAPI(accounts, signed, tries, nil).Register(api)
	d.api = api
	return d
}

// try tries to sign in, from an address, in a browser with a cookie.
func (d *door) try(name, password, from, cookie string) events.APIGatewayV2HTTPResponse {
	d.t.Helper()
	e := events.APIGatewayV2HTTPRequest{
		RawPath: "/api/sessions", Headers: map[string]string{"content-type": "application/json"},
		Body: fmt.Sprintf(`{"email":"%s@example.com","password":%q}`, name, password),
	}
	e.RequestContext.HTTP.Method, e.RequestContext.HTTP.SourceIP = http.MethodPost, from
	if cookie != "" {
		e.Cookies = []string{cookie}
	}
	answer, err := d.api.Invoke(d.t.Context(), e)
	if err != nil {
		d.t.Fatal(err)
	}
	return answer
}

// browser signs in and gives the cookie by which the browser is known.
func (d *door) browser(name string) string {
	d.t.Helper()
	for _, cookie := range d.try(name, password, "192.0.2.200", "").Cookies {
		if strings.HasPrefix(cookie, sessions.BrowserCookie+"=") {
			value, _, _ := strings.Cut(cookie, ";")
			return value
		}
	}
	d.t.Fatal("no cookie for the browser")
	return ""
}

func memory() store.Driver { return memstore.New(memstore.Config{}) }

// Somebody tries passwords from ever new addresses. After ten, strangers wait for five
// minutes each; the owner does not, where they were signed in before.
func TestPasswordsCantBeTriedForLong(t *testing.T) {
	for _, name := range []string{"ada", "nobody"} {
		d := newDoor(t, memory())
		owner, other := d.browser("ada"), d.browser("bob")
		d.now = d.now.Add(time.Hour)
		tried := 0
		for i := range 100 {
			answer := d.try(name, "wrong wrong", fmt.Sprintf("198.51.100.%d", i), "")
			if answer.StatusCode == 401 {
				tried++
				continue
			}
			if wait, err := strconv.Atoi(answer.Headers["Retry-After"]); answer.StatusCode != 429 || err != nil || wait < 1 || wait > 300 {
				t.Fatalf("%d %v", answer.StatusCode, answer.Headers)
			}
		}
		if tried != 10 {
			t.Errorf("%d passwords of %s were looked at", tried, name)
		}
		if answer := d.try(name, password, "203.0.113.1", ""); answer.StatusCode != 429 {
			t.Errorf("the right one would tell: %d", answer.StatusCode)
		}
		if answer := d.try(name, password, "203.0.113.1", other); answer.StatusCode != 429 {
			t.Errorf("a browser of another account is none of this one's: %d", answer.StatusCode)
		}
		if answer := d.try("ada", password, "203.0.113.1", owner); answer.StatusCode != 200 {
			t.Errorf("the owner is locked out: %d %s", answer.StatusCode, answer.Body)
		}
		d.now = d.now.Add(5 * time.Minute)
		if answer := d.try("ada", password, "203.0.113.1", ""); answer.StatusCode != 200 {
			t.Errorf("and on a new browser for longer than said: %d", answer.StatusCode)
		}
	}
}

func TestAStolenBrowserIsLimitedToo(t *testing.T) {
	d := newDoor(t, memory())
	owner, tried := d.browser("ada"), 0
	for range 30 {
		if d.try("ada", "wrong wrong", "127.0.0.1", owner).StatusCode == 401 {
			tried++
		}
	}
	if tried != 10 {
		t.Errorf("%d passwords were looked at", tried)
	}
}

// One password for many accounts, from one network; the machine itself is no network.
func TestANetworkCantTryAllAccounts(t *testing.T) {
	for from, want := range map[string]int{"2001:db8:1:2::": 30, "127.0.0.1": 50} {
		d := newDoor(t, memory())
		owner, tried := d.browser("ada"), 0
		for i := range 50 {
			address := from
			if strings.HasSuffix(from, "::") {
				address = fmt.Sprintf("%s%x", from, i+1)
			}
			if d.try(fmt.Sprintf("reader%d", i), "password1", address, "").StatusCode == 401 {
				tried++
			}
		}
		if tried != want {
			t.Errorf("%d accounts were tried from %s, want %d", tried, from, want)
		}
		if answer := d.try("ada", password, strings.Replace(from, "::", "::1", 1), owner); answer.StatusCode != 200 {
			t.Errorf("who shares the network is locked out: %d", answer.StatusCode)
		}
	}
}

// gone is a table that does not answer.
type gone struct{ store.Driver }

func (gone) Write(context.Context, store.Write) (store.Item, error) { return nil, store.ErrThrottled }

func TestTriesThatCantBeCountedAreLetIn(t *testing.T) {
	d := newDoor(t, gone{memory()})
	for range 20 {
		if answer := d.try("ada", password, "192.0.2.1", ""); answer.StatusCode != 200 {
			t.Fatalf("%d %s", answer.StatusCode, answer.Body)
		}
	}
	if !strings.Contains(d.log.String(), "not counted") {
		t.Error("nobody is told")
	}
}
