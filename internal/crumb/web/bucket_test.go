package web_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A fakeBucket stands in for the bucket: presigned PUT and GET, and CORS.
type fakeBucket struct {
	*httptest.Server
	mu      sync.Mutex
	objects map[string]fakeObject
	puts    int
	// losing drops the connection of so many PUTs after having stored them.
	losing int
	// expired refuses so many PUTs, as after the end of a URL's life.
	expired int
}

type fakeObject struct {
	data        []byte
	contentType string
}

func newBucket(t testing.TB) *fakeBucket {
	b := &fakeBucket{objects: map[string]fakeObject{}}
	b.Server = httptest.NewServer(b)
	t.Cleanup(b.Close)
	return b
}

func (b *fakeBucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Header().Set("Access-Control-Allow-Origin", "*")
	key := r.URL.Path[1:]
	switch r.Method {
	case http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD, PUT")
		w.Header().Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
	case http.MethodGet:
		o, ok := b.objects[key]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", o.contentType)
		fmt.Fprintf(w, "%s", o.data)
	case http.MethodPut:
		b.put(w, r, key)
	}
}

func (b *fakeBucket) put(w http.ResponseWriter, r *http.Request, key string) {
	b.puts++
	data, err := io.ReadAll(r.Body)
	_, exists := b.objects[key]
	switch {
	case err != nil || r.Header.Get("If-None-Match") != "*":
		http.Error(w, "not as signed", http.StatusForbidden)
		return
	case b.expired > 0:
		b.expired--
		http.Error(w, "expired", http.StatusForbidden)
		return
	case exists:
		http.Error(w, "exists", http.StatusPreconditionFailed)
		return
	}
	b.objects[key] = fakeObject{data, r.Header.Get("Content-Type")}
	if b.losing > 0 {
		b.losing--
		cutOff(w)
	}
}

func (b *fakeBucket) get(key string) (fakeObject, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	o, ok := b.objects[key]
	return o, ok
}

func (b *fakeBucket) set(key string, o fakeObject) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = o
}
