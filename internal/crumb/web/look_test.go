package web_test

import (
	"fmt"
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// crowded shows a photo in every state that lasts.
func crowded(t *testing.T, page *browser.Page, api *fakeAPI) {
	t.Helper()
	page.Visit(api.URL + "/upload")
	page.Choose("#files", files(t, "progressive.jpg", "cutout.png", "bad/huge-declared.jpg", "steam.gif")...)
	page.Wait(phase("progressive.jpg", "done") + " && " + phase("cutout.png", "done") + " && " +
		phase("huge-declared.jpg", "failed") + " && " + phase("steam.gif", "done"))
	api.change(func() { api.hold = true })
	page.Choose("#files", files(t, "orientation-6.jpg")...)
	page.Wait(phase("orientation-6.jpg", "processing"))
	api.change(func() { api.busy["/jobs/photo.resize"], api.retryAfter = 1, 30 })
	page.Choose("#files", files(t, "tomatoes.jpg")...)
	page.Wait(aboutThirty(".card"))
	page.Wait("[...document.querySelectorAll('.card[data-phase=done] img')].every(i => i.complete && i.src.includes('/small.'))")
}

// aboutThirty is a JavaScript expression: an element tells of a wait of thirty seconds,
// which a page makes up to a second longer, and of which it counts the seconds.
func aboutThirty(selector string) string {
	return fmt.Sprintf(`/Busy, retrying in [23]\d seconds/.test(document.querySelector(%q)?.innerText)`, selector)
}

// tooWide lists what does not lie within the page's width.
const tooWide = `(() => {
  const wide = [...document.querySelectorAll('header *, main *, footer *')].filter(e => !e.closest('.unseen, .skip, .scroll') && e.checkVisibility() && e.getBoundingClientRect().right > Math.min(innerWidth, e.parentElement.closest('.panel, .card')?.getBoundingClientRect().right ?? innerWidth) + .5);
  if (document.documentElement.scrollWidth > innerWidth) wide.push(document.documentElement);
  return wide.map(e => e.tagName + '.' + e.className + '#' + e.id).join(' ');
})()`

// screens are those that pages are looked at on.
var screens = []struct{ width, height int }{{1280, 900}, {768, 1024}, {320, 568}}

// look holds what the page shows to fitting every screen, to being readable by day
// and by night, and to having a name for every control.
func look(t *testing.T, page *browser.Page, name string) {
	t.Helper()
	if unnamed := browser.Eval[string](page, unnamed); unnamed != "" {
		t.Errorf("%s: controls without a name: %s", name, unnamed)
	}
	for _, dark := range []bool{false, true} {
		page.Dark(dark)
		if moving := browser.Eval[int](page, "document.getAnimations().length"); moving > 0 {
			t.Errorf("%s: %d things move for somebody who wants no motion", name, moving)
		}
		if poor := browser.Eval[string](page, contrast); poor != "" {
			t.Errorf("%s, dark %v: too little contrast: %s", name, dark, poor)
		}
		for _, screen := range screens {
			if dark && !browser.Pictures() {
				break // it is as wide by night as by day
			}
			page.Resize(screen.width, screen.height)
			if wide := browser.Eval[string](page, tooWide); wide != "" {
				t.Errorf("%s is wider than a screen of %d: %s", name, screen.width, wide)
			}
			page.Screenshot(fmt.Sprintf("%s-%d-dark-%v", name, screen.width, dark))
		}
	}
}

func TestPhotosOnEveryScreen(t *testing.T) {
	t.Parallel()
	api := newAPI(t)
	page := open(t, api)
	crowded(t, page, api)
	look(t, page, "upload")
	quiet(t, page, "503")
}

// unnamed lists the controls that a screen reader could not name.
const unnamed = `[...document.querySelectorAll('a, button, input, select, textarea, progress')].filter(e => !e.closest('[hidden], template') &&
	!e.getAttribute('aria-label') && !e.textContent.trim() && !e.labels?.length).map(e => e.outerHTML).join()`

// contrast computes the contrast of every text with what lies behind it (WCAG
// 2.2, 1.4.3) and gives the texts that are hard to read.
const contrast = `(() => {
  const rgb = (c) => c.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c.length === 3 || c[3] > 0) return c;
    }
    return [255, 255, 255];
  };
  return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility({visibilityProperty: true}) &&
    [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => {
      const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
      return [(a + .05) / (b + .05), e.className || e.tagName];
  }).filter(([ratio]) => ratio < 4.5).map(([ratio, name]) => name + ' ' + ratio.toFixed(2)).join(', ');
})()`
