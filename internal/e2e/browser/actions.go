package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Do does what chromedp can do, and ends the test when that fails.
func (p *Page) Do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("browser: %v", err)
	}
}

func run[T any](p *Page, action chromedp.Action[T]) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, action)
	if err != nil {
		p.t.Fatalf("browser: %v", err)
	}
	return value
}

// Visit opens a page and waits until it has loaded.
func (p *Page) Visit(url string) {
	p.t.Helper()
	p.Do(chromedp.Navigate(url))
}

// Script runs a script in every page that is visited from now on, before its own.
func (p *Page) Script(source string) {
	p.t.Helper()
	p.Do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{Source: source})
		return chromedp.Void{}, err
	})
}

// Resize gives the page another size in CSS pixels.
func (p *Page) Resize(width, height int) {
	p.t.Helper()
	p.Do(chromedp.EmulateViewport(int64(width), int64(height)))
}

// Press types keys into whatever has the focus; kb.Tab and its like are keys.
func (p *Page) Press(keys string) {
	p.t.Helper()
	p.Do(chromedp.KeyEvent(keys))
}

// Type types text into the first element of the selector, once it can be seen.
func (p *Page) Type(selector, text string) {
	p.t.Helper()
	p.onElement(chromedp.SendKeys(chromedp.CSS(selector), text, chromedp.NodeVisible))
}

// Choose picks files in the file input of the selector.
func (p *Page) Choose(selector string, paths ...string) {
	p.t.Helper()
	p.onElement(chromedp.SetUploadFiles(chromedp.CSS(selector), paths))
}

// Click clicks on the first element of the selector once it can be seen.
func (p *Page) Click(selector string) {
	p.t.Helper()
	p.onElement(chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// onElement does what begins with finding an element. An element that is replaced before
// it was reached is looked for again: nothing was typed or clicked yet.
func (p *Page) onElement(step chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for deadline := time.Now().Add(waiting); ; {
		err := chromedp.Do(p.ctx, step)
		switch {
		case err == nil:
			return
		case says(err, "Could not find node with given id", "No node with given id found", "Node is detached from document") && time.Now().Before(deadline):
			continue
		}
		p.t.Fatalf("browser: %v", err)
	}
}

// Wait waits until the JavaScript expression is true, on whatever page it becomes
// so: navigation does not end the wait, and neither does an element that is not there
// yet.
func (p *Page) Wait(expression string) {
	p.t.Helper()
	patient := "(() => { try { return (" + expression + ") } catch (e) { if (e instanceof TypeError) return false; throw e } })()"
	for deadline := time.Now().Add(waiting); ; {
		_, err := chromedp.Run(p.ctx, chromedp.Poll[chromedp.Void](patient,
			chromedp.WithPollingInterval(30*time.Millisecond), chromedp.WithPollingTimeout(time.Until(deadline))))
		switch {
		case err == nil:
			return
		case leftPage(err) && time.Now().Before(deadline):
			continue
		}
		p.t.Fatalf("browser: waiting for %s: %v\nthe page says:\n%s", expression, err, p.Text("body"))
	}
}

// waiting bounds what a test waits for on a page.
const waiting = 3 * time.Minute

// leftPage tells whether the page was left while it was looked at.
func leftPage(err error) bool {
	return says(err, "Cannot find context", "navigated or closed", "Execution context was destroyed", "Cannot find default execution context")
}

// says tells whether an error has some of these words. Chromium has one code for most
// of its errors, and no more than words to tell them apart.
func says(err error, phrases ...string) bool {
	return slices.ContainsFunc(phrases, func(words string) bool { return strings.Contains(err.Error(), words) })
}

// Says waits until the first element of the selector shows the text.
func (p *Page) Says(selector, text string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf("document.querySelector(%q)?.innerText.includes(%q)", selector, text))
}

// Text gives what a person reads in the first element of the selector.
func (p *Page) Text(selector string) string {
	p.t.Helper()
	return Eval[string](p, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector))
}

// Dark switches between the colours of day and night. Motion stays reduced:
// without a graphics card it takes a processor of its own.
func (p *Page) Dark(dark bool) {
	p.t.Helper()
	scheme := "light"
	if dark {
		scheme = "dark"
	}
	p.Do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{
				{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
			},
		})
		return chromedp.Void{}, err
	})
}

// Eval gives the value of a JavaScript expression; promises are awaited.
func Eval[T any](p *Page, expression string) T {
	p.t.Helper()
	return run(p, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}
