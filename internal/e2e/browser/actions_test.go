package browser

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// An element that a page replaces all the time is clicked all the same, and once.
func TestClickOnAnElementThatIsReplaced(t *testing.T) {
	var chromium Browser
	t.Cleanup(func() {
		if err := chromium.Close(); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!DOCTYPE html><link rel="icon" href="data:,"><div id="place"></div><script>
			var clicks = 0
			document.addEventListener("mousedown", () => clicks++)
			const renew = () => { document.getElementById("place").innerHTML = "<button>Bake</button>" }
			renew()
			setInterval(renew, 20)
		</script>`)
	}))
	t.Cleanup(server.Close)
	page := chromium.Open(t, 400, 300)
	page.Visit(server.URL)
	for range 10 {
		page.Click("button")
	}
	page.Wait("clicks > 9")
	if clicks := Eval[int](page, "clicks"); clicks != 10 {
		t.Errorf("%d clicks, want 10", clicks)
	}
}
