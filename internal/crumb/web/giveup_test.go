package web_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// Who is told to come back in ten minutes is told when, keeps what was typed, also
// across a reload, and is not asked for again meanwhile.
func TestAFormThatIsGivenUpIsKept(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["POST /api/password-resets"] = fate{times: 1, status: 503, retryAfter: 600}
	page := open(t, api)
	page.Visit(api.URL + "/signin")
	page.Type("#forgot [name=email]", "ann@example.org")
	page.Type("#sign-in [name=password]", "a secret of mine")
	page.Click("#forgot button")
	page.Says("#forgot", "Still busy")
	page.Says("#forgot", "What you typed is kept. Try again after ")
	look(t, page, "given-up")
	page.Visit(api.URL + "/signin")
	page.Wait("document.querySelector('#forgot [name=email]').value === 'ann@example.org'")
	if kept := browser.Eval[string](page, "JSON.stringify(sessionStorage) + JSON.stringify(localStorage)"); strings.Contains(kept, "a secret") {
		t.Errorf("the browser keeps a password: %s", kept)
	}
	page.Click("#forgot button")
	page.Says("#forgot", "A mail is on its way")
	page.Visit(api.URL + "/signin")
	page.Wait("document.querySelector('#forgot [name=email]')?.value === ''")
	quiet(t, page, "503", "401")
}

// A photo whose server is busy for long is kept with the time to come back.
func TestAPhotoThatIsGivenUpSaysWhen(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.busy["/jobs/photo.resize"], api.retryAfter = 1, 600
	page := open(t, api)
	page.Choose("#files", files(t, "small.jpg")...)
	page.Says(".card", "Your photo is kept. Try again after ")
	page.Click("[data-do=again]")
	page.Wait(phase("small.jpg", "done"))
	quiet(t, page, "503")
}

// Too many tries to sign in: the page does not make one more by itself.
func TestTooManyTriesAreNotRepeated(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	api.fates["POST /api/sessions"] = fate{times: 1, status: 429, retryAfter: 300, detail: "too many tries"}
	page := open(t, api)
	page.Visit(api.URL + "/signin")
	page.Type("#sign-in [name=email]", "ann@example.org")
	page.Type("#sign-in [name=password]", "wrong wrong")
	page.Click("#sign-in button")
	page.Says("#sign-in", "Too many tries, try again after ")
	quiet(t, page, "429", "401")
}
