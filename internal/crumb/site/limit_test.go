package site_test

import (
	"net/http"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/httpapi"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// What changes something is kept to a rate; reading is not, and is not told of it.
func TestChangesAreKeptToARate(t *testing.T) {
	limit, err := httpapi.NewRateLimit(httpapi.RateLimitConfig{Driver: memstore.New(memstore.Config{}), AddressRate: 1e-3, AddressBurst: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := setUp(t)
	if f.Site, err = site.New(site.Config{Sessions: f.sessions, Limit: limit}); err != nil {
		t.Fatal(err)
	}
	done := 0
	change := func(w http.ResponseWriter, _ *http.Request) error {
		done++
		http.SetCookie(w, &http.Cookie{Name: sessions.Cookie, Value: "x"})
		return site.Done(w)
	}
	f.Anyone("POST /change", change)
	f.Anyone("GET /change", change)
	for i, want := range []int{204, 204, 429, 429} {
		answer := f.send(t, event("POST", "/change", ""))
		if answer.StatusCode != want || answer.Headers["RateLimit-Policy"] == "" || (want == 204) != (len(answer.Cookies) == 1) || (want == 429) != (answer.Headers["Retry-After"] != "") {
			t.Errorf("change %d: %+v", i, answer)
		}
	}
	if answer := f.send(t, event("GET", "/change", "")); answer.StatusCode != 204 || answer.Headers["RateLimit"] != "" || done != 3 {
		t.Errorf("%+v, %d were done", answer, done)
	}
}
