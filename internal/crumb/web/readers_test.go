package web_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := chromium.Open(t, 1000, 900)
	page.Visit(api.URL + "/feed")
	page.Says("#status", "This page is yours once you are signed in")
	page.Click("#status a")
	page.Wait("location.search === '?next=%2Ffeed'")
	page.Type("#sign-in [name=email]", "ada@example.com")
	page.Type("#sign-in [name=password]", "wrong password\r")
	page.Says("#sign-in", "You are not signed in")
	page.Says("#sign-in", "The e-mail address or the password is wrong.")
	page.Screenshot("signin-wrong")
	browser.Eval[bool](page, "document.querySelector('#sign-in [name=password]').select(), true")
	page.Type("#sign-in [name=password]", "correct horse\r")
	page.Wait("location.pathname === '/feed'")
	page.Says("#main", "Your feed is empty")
	page.Visit(api.URL + "/account")
	page.Wait(shows("#account"))
	page.Click("#sign-out")
	page.Wait("location.pathname === '/' && document.querySelector('#account-link').innerText === 'Sign in'")
	quiet(t, page, "401", "404")
}

func TestSignUpAndForgottenPassword(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := chromium.Open(t, 1000, 900)
	page.Visit(api.URL + "/signin")
	page.Type("#forgot [name=email]", "ada@example.com\r")
	page.Says("#forgot", "A mail is on its way")
	page.Visit(api.URL + "/reset?token=once%2Fonly")
	page.Type("#reset [name=password]", "battery staple\r")
	page.Says("#reset", "Your password is changed")
	if n := api.called("POST /api/password-resets/once/only "); n != 1 || api.crumb.reset != "battery staple" {
		t.Errorf("%v: the password is %q", api.crumb.calls, api.crumb.reset)
	}
	page.Visit(api.URL + "/signin")
	page.Type("#sign-up [name=name]", "Ada")
	page.Type("#sign-up [name=email]", "ada@example.com")
	page.Type("#sign-up [name=password]", "correct horse\r")
	page.Wait("location.pathname === '/' && document.querySelector('#account-link').innerText.includes('Ada')")
	quiet(t, page, "401")
}

func TestUnsubscribeAsksFirst(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := chromium.Open(t, 1000, 900)
	page.Visit(api.URL + "/newsletter/unsubscribe?token=ada.1")
	page.Wait(shows("#unsubscribe"))
	if n := api.called("POST"); n != 0 {
		t.Error("whoever opens the link is unsubscribed: mail scanners do")
	}
	page.Click("#unsubscribe button")
	page.Says("#unsubscribe", "You get no more newsletters")
	if n := api.called("POST /api/newsletter/unsubscribe"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	quiet(t, page, "401")
}

// TestKeyboard does everything without a mouse.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := member(t, api, "/")
	page.Wait("document.querySelectorAll('#newest .card').length === 3")
	const focus = "document.activeElement.textContent.trim() || document.activeElement.id"
	page.Press("\t")
	if on := browser.Eval[string](page, focus); on != "Skip to content" {
		t.Errorf("the first stop is %q", on)
	}
	if !browser.Eval[bool](page, "getComputedStyle(document.activeElement).clipPath === 'none'") {
		t.Error("the skip link can't be seen when it has the focus")
	}
	page.Press("\r")
	page.Press("\t")
	if on := browser.Eval[string](page, focus); on != "Plum cake" {
		t.Errorf("after skipping, the next stop is %q", on)
	}
	if !browser.Eval[bool](page, "getComputedStyle(document.activeElement, '::after').outlineStyle === 'solid'") {
		t.Error("nobody sees where the focus is")
	}
	page.Visit(api.URL + "/")
	page.Press("\t\t\ttomato\r")
	page.Wait("location.search === '?q=tomato' && document.querySelectorAll('#found .card').length === 1")
	page.Wait("document.querySelector('#news').textContent === '1 recipe'")
	page.Visit(api.URL + "/recipes/soup")
	page.Wait(shows("#actions"))
	browser.Eval[bool](page, "document.querySelector('#pdf').focus(), true")
	page.Press("\t    ")
	page.Wait("document.querySelector('#average').innerText.startsWith('4.3')")
	if n := api.called("PUT /api/recipes/soup/rating map[stars:1]"); n != 1 {
		t.Errorf("rated: %v", api.crumb.calls)
	}
}

// TestTextIsText: what people write is shown as they wrote it.
func TestTextIsText(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := member(t, api, "/")
	page.Wait("document.querySelector('#newest').innerText.includes('<img src=x')")
	page.Visit(api.URL + "/recipes/evil")
	page.Says("#title", "<img src=x")
	page.Visit(api.URL + "/inbox")
	page.Says("#notices", "You wanted to be reminded of Plum cake")
	if link := browser.Eval[string](page, "document.querySelector('#notices li:nth-child(2) a').href"); link != api.URL+"/" {
		t.Errorf("a notice leads to %s", link)
	}
	if injected := browser.Eval[bool](page, "document.title === 'owned' || document.querySelector('img[src=x]') !== null"); injected {
		t.Error("a title became HTML")
	}
}
