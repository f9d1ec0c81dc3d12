package client_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/client"
)

// A result that no answer has room for is fetched where the answer says, without
// the API's own headers: a presigned URL takes no other authorization.
func TestALargeResultIsFetched(t *testing.T) {
	large := `"` + strings.Repeat("x", 9<<20) + `"`
	var s *script
	leads := func(w http.ResponseWriter) {
		gives(200, strings.Replace(done, `"result":{"n":1}`, `"result_url":"http://`+s.got[0].Host+`/bucket/jobs/1/result-t?sig=x"`, 1))(w)
	}
	auth := func(c *client.Config) { c.Header = http.Header{"Authorization": {"Bearer x"}} }
	s = newScript(t, auth, leads, gives(503, ""), gives(200, large), leads, gives(200, large), leads, gives(403, "<Error/>"), leads, gives(200, "<html>"))
	j, err := s.client.Status(t.Context(), "1")
	if err != nil || string(j.Result) != large || j.State != "done" {
		t.Errorf("Status: %d bytes, %s, %v", len(j.Result), j.State, err)
	}
	if j, err = s.client.Wait(t.Context(), "1"); err != nil || string(j.Result) != large {
		t.Errorf("Wait: %d bytes, %v", len(j.Result), err)
	}
	get := s.got[2]
	if get.Method != http.MethodGet || get.URL.String() != "/bucket/jobs/1/result-t?sig=x" || get.Header.Get("Authorization") != "" {
		t.Errorf("it asked %s %s with %v", get.Method, get.URL, get.Header)
	}
	for _, what := range []string{"a link that is over", "what is no JSON"} {
		if j, err = s.client.Status(t.Context(), "1"); err == nil || j.State != "done" || j.Result != nil {
			t.Errorf("%s: %+v, %v", what, j, err)
		}
	}
}
