package httpapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// Whatever is asked for: a URL is signed for exactly that, within the bounds, or
// none is.
func FuzzUploads(f *testing.F) {
	f.Add(`{"content_type":"image/jpeg","bytes":1}`, "ann")
	f.Add(`{"content_type":"IMAGE/png","bytes":26214400}`, "")
	f.Add(`{"content_type":"image/jpeg\r\nx: y","bytes":-1}`, "../ann")
	f.Add(`{"content_type":"image/","bytes":1e3}`, "a/b")
	f.Add(`{"content_type":"text/html","bytes":9007199254740993,"key":"x"}`, "\x00")
	f.Fuzz(func(t *testing.T, text, client string) {
		a := newAPI(t)
		r := event(t, "uploads", body(text))
		if client != "" {
			by(client)(&r)
		}
		answer := a.send(a.uploads.Handle, r)
		if !slices.Contains([]int{201, 400, 413, 415}, answer.StatusCode) || !json.Valid([]byte(answer.Body)) {
			t.Fatalf("%d %s", answer.StatusCode, answer.Body)
		}
		if (a.put.key != "") != (answer.StatusCode == 201) {
			t.Errorf("%d, and a URL was signed for %q", answer.StatusCode, a.put.key)
		}
		if answer.StatusCode != 201 {
			return
		}
		asked := decode[struct {
			ContentType string `json:"content_type"`
			Bytes       int64  `json:"bytes"`
		}](t, text)
		if a.put.length != asked.Bytes || asked.Bytes < 0 || asked.Bytes > 25<<20 || !strings.HasPrefix(a.put.contentType, "image/") || strings.ContainsAny(a.put.contentType, "\r\n") {
			t.Errorf("asked %+v, signed %q of %d bytes", asked, a.put.contentType, a.put.length)
		}
		if parts := strings.Split(a.put.key, "/"); len(parts) != 3 || parts[0] != "uploads" || strings.Contains(a.put.key, "..") {
			t.Errorf("%q signs the key %q", client, a.put.key)
		}
	})
}
