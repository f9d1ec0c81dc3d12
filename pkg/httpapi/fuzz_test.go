package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/httpapi"
)

// Whatever comes, the answer is one of those documented, valid JSON, and says
// nothing of what is inside.
func FuzzEnqueue(f *testing.F) {
	valid := event(f, "enqueue").Body
	f.Add(valid, "application/json", `"key"`, false)
	f.Add("eyJrZXkiOiJhIn0=", "application/json", "", true)
	f.Add(`{"key":"a","Key":"b"}`, "application/json; charset=utf-8", "a,b", false)
	f.Add(strings.Repeat(`{"key":`, 20), "application/x+json", "k", false)
	f.Add("\xff", "text/plain;", "\x00", true)
	f.Fuzz(func(t *testing.T, text, contentType, key string, encoded bool) {
		a := newAPI(t)
		r := event(t, "enqueue", body(text), header("content-type", contentType), header("idempotency-key", key))
		r.IsBase64Encoded = encoded
		answer := a.send(a.enqueue.Handle, r)
		if !slices.Contains([]int{202, 400, 413, 415}, answer.StatusCode) && !strings.Contains(text, "panic") {
			t.Errorf("%d %s", answer.StatusCode, answer.Body)
		}
		if !json.Valid([]byte(answer.Body)) {
			t.Errorf("no JSON: %s", answer.Body)
		}
		if (a.driver.writes == 1) != (answer.StatusCode == 202) {
			t.Errorf("%d after %d writes", answer.StatusCode, a.driver.writes)
		}
	})
}

// No id, tag or method makes the status of a job that does not exist appear.
func FuzzStatus(f *testing.F) {
	f.Add("3w5xq8zk1m7n9p2r4t6v8ya0cc", `"tag"`, "GET")
	f.Add("ledger.YQ.3w5xq8zk1m7n9p2r4t6v8ya0cc", "*", "HEAD")
	f.Add("..", ",,W/", "get")
	f.Fuzz(func(t *testing.T, id, tag, verb string) {
		a := newAPI(t)
		answer := a.send(a.status.Handle, event(t, "status", path("id", id), header("if-none-match", tag), method(verb)))
		if answer.StatusCode != 404 && answer.StatusCode != 405 {
			t.Errorf("%d %s", answer.StatusCode, answer.Body)
		}
	})
}

func FuzzNetwork(f *testing.F) {
	for _, address := range []string{"192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1", "fe80::1%eth0", "::1", "127.0.0.1", "", "x", "1.2.3.4:80"} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		key, loopback := httpapi.Network(address)
		if key == "" || len(key) > 43 || loopback && key != "::1" && !strings.HasPrefix(key, "127.") {
			t.Errorf("%q is %q, %v", address, key, loopback)
		}
		if again, _ := httpapi.Network(strings.TrimSuffix(key, "/64")); again != key {
			t.Errorf("%q is %q, and that is %q", address, key, again)
		}
	})
}

func ExampleNetwork() {
	for _, address := range []string{"192.0.2.1", "2001:db8:1:2::42"} {
		fmt.Println(httpapi.Network(address))
	}
	// Output:
	// 192.0.2.1 false
	// 2001:db8:1:2::/64 false
}
