package newsletter_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/newsletter"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
)

// call sends a request to the API; reader is who is signed in, "" nobody.
func (w *world) call(method, target, body, reader string) events.APIGatewayV2HTTPResponse {
	w.t.Helper()
	signed, err := sessions.New([]byte(secret), w.Now)
	if err != nil {
		w.t.Fatal(err)
	}
	api, err := site.New(site.Config{Sessions: signed})
	if err != nil {
		w.t.Fatal(err)
	}
	newsletter.NewAPI(w.table, w.tokens).Register(api)
	e := events.APIGatewayV2HTTPRequest{Body: body, Headers: map[string]string{"content-type": "application/json"}}
	e.RawPath, e.RawQueryString, _ = strings.Cut(target, "?")
	e.RequestContext.HTTP.Method = method
	if reader != "" {
		e.Cookies = []string{signed.Start(&http.Request{}, reader).String()}
	}
	answer, err := api.Invoke(w.t.Context(), e)
	if err != nil {
		w.t.Fatal(err)
	}
	return answer
}

func TestTheAccountsSwitch(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.apply(w.table.Change().Put(readers.Key("ada"), readers.Reader{ID: "ada", Email: address("ada")}, "", nil))
	for _, on := range []string{"true", "true", "false", "false", "true"} {
		if answer := w.call("PUT", "/api/me/newsletter", `{"on":`+on+`}`, "ada"); answer.StatusCode != 204 {
			t.Fatalf("%d: %s", answer.StatusCode, answer.Body)
		}
		if want := on == "true"; w.reader("ada").Newsletter != want || (w.subscribers() == 1) != want {
			t.Errorf("after %s: %v, %d subscribers", on, w.reader("ada").Newsletter, w.subscribers())
		}
	}
	for name, c := range map[string]struct {
		body, reader string
		want         int
	}{
		"signed out": {`{"on":true}`, "", 401}, "gone": {`{"on":true}`, "gone", 401}, "gone, off": {`{"on":false}`, "gone", 401},
		"no wish": {`{"off":true}`, "ada", 400}, "no JSON": {`on`, "ada", 400},
	} {
		if answer := w.call("PUT", "/api/me/newsletter", c.body, c.reader); answer.StatusCode != c.want {
			t.Errorf("%s: %d, want %d", name, answer.StatusCode, c.want)
		}
	}
}

func TestABouncedAddressCanNotSubscribe(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.join("ada")
	w.told(bounce("ada", "", "ada@example.org", "Permanent"))
	answer := w.call("PUT", "/api/me/newsletter", `{"on":true}`, "ada")
	if answer.StatusCode != 409 || !strings.Contains(answer.Body, "address-bounced") || w.subscribers() > 0 {
		t.Errorf("%d: %s; %d subscribers", answer.StatusCode, answer.Body, w.subscribers())
	}
}

// RFC 8058: the POST of a mail program, without a cookie, is enough; a GET changes
// nothing.
func TestOneClick(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	w.join("ada")
	target := newsletter.UnsubscribePath + "?token=" + w.tokens.Of("ada")
	answer := w.call("GET", target, "", "")
	if answer.StatusCode != 303 || answer.Headers["Location"] != newsletter.UnsubscribePage+"?token="+w.tokens.Of("ada") {
		t.Errorf("GET: %d, %v", answer.StatusCode, answer.Headers)
	}
	if !w.reader("ada").Newsletter || w.subscribers() != 1 {
		t.Error("looking at the link unsubscribed")
	}
	for range 2 {
		if answer := w.call("POST", target, "List-Unsubscribe=One-Click", ""); answer.StatusCode != 200 {
			t.Errorf("POST: %d %s", answer.StatusCode, answer.Body)
		}
		if w.reader("ada").Newsletter || w.subscribers() != 0 {
			t.Error("still a subscriber")
		}
	}
	for _, token := range []string{"", "x", w.tokens.Of("ada") + "x", strings.TrimSuffix(w.tokens.Of("ada"), "A")[1:]} {
		for _, method := range []string{"GET", "POST"} {
			if answer := w.call(method, newsletter.UnsubscribePath+"?token="+token, "", ""); answer.StatusCode != 404 {
				t.Errorf("%s with the token %q: %d", method, token, answer.StatusCode)
			}
		}
	}
	if answer := w.call("POST", newsletter.UnsubscribePath+"?token="+w.tokens.Of("gone"), "", ""); answer.StatusCode != 200 {
		t.Errorf("a reader who is gone: %d", answer.StatusCode)
	}
}

func TestTokens(t *testing.T) {
	tokens, err := newsletter.NewTokens([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	other, err := newsletter.NewTokens([]byte(strings.ToUpper(secret)))
	if err != nil {
		t.Fatal(err)
	}
	for _, reader := range []string{"ada", "ä.b", strings.Repeat("x", 200)} {
		if got, ok := tokens.Reader(tokens.Of(reader)); !ok || got != reader {
			t.Errorf("%q is read as %q, %v", reader, got, ok)
		}
		if _, ok := other.Reader(tokens.Of(reader)); ok {
			t.Errorf("another secret takes the token of %q", reader)
		}
	}
	if _, err := newsletter.NewTokens([]byte("short")); err == nil {
		t.Error("a short secret is taken")
	}
}

func FuzzTokens(f *testing.F) {
	tokens, err := newsletter.NewTokens([]byte(secret))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(tokens.Of("ada"))
	f.Add("YWRh.\n")
	f.Fuzz(func(t *testing.T, text string) {
		if reader, ok := tokens.Reader(text); ok && tokens.Of(reader) != text {
			t.Errorf("%q passes for the token of %q", text, reader)
		}
	})
}

func TestWhoIsThere(t *testing.T) {
	w := newWorld(t, nightshifttest.Config{})
	for name, err := range map[string]error{
		"subscribing":   newsletter.Subscribe(t.Context(), w.table, "nobody"),
		"unsubscribing": newsletter.Unsubscribe(t.Context(), w.table, "nobody"),
	} {
		if !errors.Is(err, newsletter.ErrNobody) || w.subscribers() > 0 {
			t.Errorf("%s nobody: %v", name, err)
		}
	}
	if _, err := newsletter.New(newsletter.Config{}); err == nil {
		t.Error("a newsletter of nothing")
	}
}
