package e2e_test

import (
	"archive/zip"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/e2e/browser"
)

// TestPages goes the way of a cook who is new: an account, a recipe with its photo,
// which search then finds, and in the end all of it as a file.
func TestPages(t *testing.T) {
	site := crumb.HTTPURL()
	page := chromium.Open(t, 1100, 900)

	page.Visit(site + "/signin?next=/publish")
	page.Type("#sign-up [name=name]", "Ada <i>of the</i> Ovens")
	page.Type("#sign-up [name=email]", "ada@example.com")
	page.Type("#sign-up [name=password]", "correct horse battery staple\r")
	page.Wait("location.pathname === '/publish' && document.querySelector('#editor')?.hidden === false")

	page.Choose("#photo-file", files(t, "soup.jpg")...)
	page.Type("[name=title]", "Zabaglione soup")
	page.Type("[name=ingredients]", "6 eggs\nsome Marsala")
	page.Type("#steps textarea", "Beat them over steam.")
	page.Type("#steps input", "15")
	page.Says("#photo-status", "The photo is uploaded")
	page.Click("#publish")

	const card = "document.querySelector('#recipes > li')"
	page.Wait("location.pathname.startsWith('/cooks/') && " + card + "?.innerText.includes('Zabaglione soup')") // at once
	page.Wait(card + ".innerText.includes('Search finds it') && " + card + ".innerText.includes('Spam check passed')")
	page.Wait("document.querySelectorAll('#recipes > li').length === 1 && " + card + ".querySelector('.picture-image')?.naturalWidth > 0")
	page.Screenshot("e2e-profile")

	page.Type("#find-words", "zabaglione\r")
	page.Wait("location.search === '?q=zabaglione' && document.querySelectorAll('#found li').length === 1")
	page.Click("#found .cover")
	page.Wait("document.querySelectorAll('#sizes a').length === 4 && document.querySelector('#photo-image').naturalWidth > 480")
	page.Click("#pdf")
	page.Says("#pdf-status", "Download the PDF")
	if pdf := fetched(t, page, "#pdf-status a"); !bytes.HasPrefix(pdf, []byte("%PDF-")) {
		t.Errorf("the PDF begins with %q", pdf[:min(8, len(pdf))])
	}
	page.Screenshot("e2e-recipe")

	page.Visit(site + "/account")
	page.Wait("document.querySelector('#account')?.hidden === false")
	page.Click("#export")
	page.Says("#export-status", "Your data is ready")
	page.Screenshot("e2e-account")
	archive := fetched(t, page, "#export-status a")
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatalf("the export is no archive: %v", err)
	}
	if all := contents(t, files); !strings.Contains(all, "Zabaglione soup") || !strings.Contains(all, "ada@example.com") {
		t.Errorf("the export lacks what Ada wrote: %s", all)
	}
	for _, complaint := range page.Complaints() {
		// Before she signs up nobody is signed in, before the first export there is
		// none, and a photo's sizes come later than its recipe.
		if !strings.HasSuffix(complaint, "/api/me") && !strings.HasSuffix(complaint, "/api/exports") && !strings.Contains(complaint, "/photos/") {
			t.Errorf("the page complained: %s", complaint)
		}
	}
}

// fetched gives what is behind the first link of the selector. It is fetched
// without a cookie: such links work from a mail, too.
func fetched(t *testing.T, page *browser.Page, selector string) []byte {
	t.Helper()
	href := browser.Eval[string](page, "document.querySelector('"+selector+"').href")
	response, err := http.Get(href)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v", href, response.Status, err)
	}
	return data
}

// contents gives everything in an archive.
func contents(t *testing.T, archive *zip.Reader) string {
	t.Helper()
	var all strings.Builder
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
		r.Close()
	}
	return all.String()
}
