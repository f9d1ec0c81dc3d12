package web_test

import (
	"fmt"
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// crowded shows a photo in every state that lasts.
func crowded(t *testing.T, page *browser.Page, api *fakeAPI) {
	t.Helper()
	page.Visit(api.URL)
	page.Choose("#files", files(t, "progressive.jpg", "cutout.png", "bad/huge-declared.jpg", "steam.gif")...)
	page.Wait(phase("progressive.jpg", "done") + " && " + phase("cutout.png", "done") + " && " +
		phase("huge-declared.jpg", "failed") + " && " + phase("steam.gif", "done"))
	api.change(func() { api.hold = true })
	page.Choose("#files", files(t, "orientation-6.jpg")...)
	page.Wait(phase("orientation-6.jpg", "processing"))
	api.change(func() { api.busy["/jobs/photo.resize"], api.retryAfter = 1, 30 })
	page.Choose("#files", files(t, "tomatoes.jpg")...)
	page.Says(".card", "Busy, retrying in 30 seconds")
	page.Wait("[...document.querySelectorAll('.card[data-phase=done] img')].every(i => i.complete && i.src.includes('/small.'))")
}

// fits tells whether everything lies within the page's width.
const fits = "document.documentElement.scrollWidth <= window.innerWidth && [...document.querySelectorAll('main *')].every(e => e.closest('.unseen') || e.getBoundingClientRect().right <= window.innerWidth)"

func TestPageFitsEveryScreen(t *testing.T) {
	for _, screen := range []struct{ width, height int }{{1280, 900}, {375, 812}, {320, 568}} {
		t.Run(fmt.Sprint(screen.width), func(t *testing.T) {
			api := newAPI(t)
			page := chromium.Open(t, screen.width, screen.height)
			page.Dark(false)
			crowded(t, page, api)
			if !browser.Eval[bool](page, fits) {
				t.Error("the page is wider than its screen")
			}
			if unnamed := browser.Eval[string](page, unnamed); unnamed != "" {
				t.Errorf("controls without a name: %s", unnamed)
			}
			for _, dark := range []bool{false, true} {
				page.Dark(dark)
				page.Wait("!document.getAnimations().some(a => a instanceof CSSTransition)")
				if poor := browser.Eval[string](page, contrast); poor != "" {
					t.Errorf("dark %v: too little contrast: %s", dark, poor)
				}
				page.Screenshot(fmt.Sprintf("crowded-%d-dark-%v", screen.width, dark))
			}
			quiet(t, page, "503")
		})
	}
}

// unnamed lists the controls that a screen reader could not name.
const unnamed = `[...document.querySelectorAll('a, button, input, progress')].filter(e => !e.closest('[hidden]') &&
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
