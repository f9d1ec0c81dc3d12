package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// A reply is an answer of the HTTP API.
type reply struct {
	status int
	header http.Header
	body   string
}

// send sends one request, with pairs of header names and values.
func send(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	url := path
	if strings.HasPrefix(path, "/") {
		url = crumb.HTTPURL() + path
	}
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	noRedirect := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := noRedirect.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{response.StatusCode, response.Header, string(content)}
}

func decode[T any](t testing.TB, r reply) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(r.body), &v); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	return v
}

func small(t testing.TB) []byte {
	t.Helper()
	s, err := samplephotos.Named("small.jpg")
	if err != nil {
		t.Fatal(err)
	}
	data, err := s.Data()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestAccepted(t *testing.T) {
	c, ctx := newClient(t)
	key, err := c.Upload(ctx, "image/jpeg", small(t))
	if err != nil {
		t.Fatal(err)
	}
	got := send(t, "POST", "/jobs/photo.resize", `{"key":"`+key+`"}`)
	job := decode[struct{ ID, State, Task, Status_URL string }](t, got)
	if got.status != http.StatusAccepted || got.header.Get("Location") != "/jobs/"+job.ID || got.header.Get("Retry-After") == "" {
		t.Errorf("answered %d with %v", got.status, got.header)
	}
	if job.State != "queued" || job.Task != "photo.resize" || job.Status_URL != "/jobs/"+job.ID {
		t.Errorf("the job is %s", got.body)
	}
	// It exists from the moment that its 202 was sent.
	if status := send(t, "GET", "/jobs/"+job.ID, ""); status.status != http.StatusOK || status.header.Get("ETag") == "" {
		t.Errorf("its status is answered %d with %v", status.status, status.header)
	}
}

func TestIdempotencyKey(t *testing.T) {
	c, ctx := newClient(t)
	key, err := c.Upload(ctx, "image/jpeg", small(t))
	if err != nil {
		t.Fatal(err)
	}
	body := `{"key":"` + key + `"}`
	first := send(t, "POST", "/jobs/photo.resize", body, "Idempotency-Key", "soup-of-"+key)
	again := send(t, "POST", "/jobs/photo.resize", body, "Idempotency-Key", "soup-of-"+key)
	if first.status != http.StatusAccepted || again.status != first.status || again.body != first.body ||
		again.header.Get("Location") != first.header.Get("Location") {
		t.Errorf("the first answer was %d %s, the second %d %s", first.status, first.body, again.status, again.body)
	}
	other := send(t, "POST", "/jobs/photo.resize", `{"key":"uploads/everyone/somethingelse"}`, "Idempotency-Key", "soup-of-"+key)
	if other.status != http.StatusUnprocessableEntity {
		t.Errorf("the same key with other arguments is answered %d, want 422", other.status)
	}
}

func TestUploadMissing(t *testing.T) {
	c, ctx := newClient(t)
	job, err := c.Enqueue(ctx, "photo.resize", tasks.ResizePhoto{Key: "uploads/everyone/0123456789abcdefghjkmnpqrs"})
	if err != nil {
		t.Fatal(err)
	}
	if job, err = c.Wait(ctx, job.ID); err != nil {
		t.Fatal(err)
	}
	checkDead(t, job, "upload_missing")
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"no such job", "GET", "/jobs/0123456789abcdefghjkmnpqrs", "", 404},
		{"no job id", "GET", "/jobs/not-an-id", "", 404},
		{"no such job to cancel", "DELETE", "/jobs/0123456789abcdefghjkmnpqrs", "", 404},
		{"no such task", "POST", "/jobs/photo.burn", `{}`, 404},
		{"no JSON", "POST", "/jobs/photo.resize", `{"key"`, 400},
		{"another field", "POST", "/jobs/photo.resize", `{"key":"a","extra":1}`, 400},
		{"no field", "POST", "/jobs/photo.resize", `{}`, 400},
		{"a null", "POST", "/jobs/photo.resize", `{"key":null}`, 400},
		{"an endless key", "POST", "/jobs/photo.resize", `{"key":"` + strings.Repeat("k", 1025) + `"}`, 400},
		{"too many arguments", "POST", "/jobs/photo.resize", `{"key":"` + strings.Repeat("k", 256<<10) + `"}`, 413},
		{"an id encoded twice", "GET", "/jobs/0123456789abcdefghjkmnpqr%2573", "", 404},
		{"a field twice", "POST", "/jobs/photo.resize", `{"key":"a","key":"b"}`, 400},
		{"no picture", "POST", "/uploads", `{"content_type":"application/wasm","bytes":10}`, 415},
		{"too large", "POST", "/uploads", `{"content_type":"image/jpeg","bytes":26214401}`, 413},
		{"less than nothing", "POST", "/uploads", `{"content_type":"image/jpeg","bytes":-1}`, 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := send(t, tc.method, tc.path, tc.body)
			if got.status != tc.status || got.header.Get("Content-Type") != "application/problem+json" {
				t.Errorf("answered %d, %s: %s", got.status, got.header.Get("Content-Type"), got.body)
			}
		})
	}
	// Lambda takes 6 MB: here API Gateway itself answers.
	if got := send(t, "POST", "/jobs/photo.resize", `{"key":"`+strings.Repeat("k", 7<<20)+`"}`); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("7 MiB are answered %d, want 413", got.status)
	}
	for _, path := range []string{"/photos/0123456789abcdefghjkmnpqrs/huge.jpg", "/photos/../template.yaml", "/no/such/page"} {
		if got := send(t, "GET", path, ""); got.status != http.StatusNotFound {
			t.Errorf("%s is answered %d, want 404", path, got.status)
		}
	}
}

func TestFinishedJobCannotBeCancelled(t *testing.T) {
	c, ctx := newClient(t)
	job, err := c.Enqueue(ctx, "photo.resize", tasks.ResizePhoto{Key: "no key"})
	if err != nil {
		t.Fatal(err)
	}
	if job, err = c.Wait(ctx, job.ID); err != nil {
		t.Fatal(err)
	}
	checkDead(t, job, "bad_key")
	if got := send(t, "DELETE", "/jobs/"+string(job.ID), ""); got.status != http.StatusConflict {
		t.Errorf("answered %d, want 409: %s", got.status, got.body)
	}
}

func TestPresignedPutTakesExactlyWhatWasSigned(t *testing.T) {
	data := small(t)
	type upload struct {
		Key, URL string
		Headers  map[string]string
	}
	reserve := func() upload {
		body, err := json.Marshal(map[string]any{"content_type": "image/jpeg", "bytes": len(data)})
		if err != nil {
			t.Fatal(err)
		}
		got := send(t, "POST", "/uploads", string(body))
		if got.status != http.StatusCreated {
			t.Fatalf("answered %d: %s", got.status, got.body)
		}
		return decode[upload](t, got)
	}
	put := func(to upload, data []byte, change ...string) int {
		var headers []string
		for name, value := range to.Headers {
			headers = append(headers, name, value)
		}
		return send(t, "PUT", to.URL, string(data), append(headers, change...)...).status
	}
	to := reserve()
	for name, status := range map[string]int{
		"one byte more": put(to, append(bytes.Clone(data), 0)),
		"one byte less": put(to, data[1:]),
		"another type":  put(to, data, "Content-Type", "text/html"),
		"another key":   put(upload{URL: strings.Replace(to.URL, to.Key, to.Key+"x", 1), Headers: to.Headers}, data),
	} {
		if status != http.StatusForbidden {
			t.Errorf("%s: answered %d, want 403", name, status)
		}
	}
	if status := put(to, data); status != http.StatusOK {
		t.Fatalf("what was signed: answered %d, want 200", status)
	}
	if status := put(to, data); status != http.StatusPreconditionFailed {
		t.Errorf("a second time: answered %d, want 412", status)
	}
}
