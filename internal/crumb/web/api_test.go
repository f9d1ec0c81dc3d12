package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/uploads"
	"github.com/nightshift-go/nightshift/internal/crumb/web"
	"github.com/nightshift-go/nightshift/pkg/job"
)

// A fakeAPI keeps the HTTP contract over nothing but memory, and misbehaves as
// it is told to. Jobs are run when somebody looks at them, unless held.
type fakeAPI struct {
	*httptest.Server
	bucket *fakeBucket
	site   *web.Site
	table  *rows.Table

	mu   sync.Mutex
	jobs map[string]*fakeJob // by id
	keys map[string]string   // Idempotency-Key to job id
	made int                 // uploads
	// busy answers so many POSTs of a path with status and Retry-After.
	busy                   map[string]int
	busyStatus, retryAfter int
	// losing drops the connection of so many POSTs of jobs after having obeyed.
	losing int
	// hold keeps jobs in the queue.
	hold bool
	work sync.WaitGroup
	// crumb is what is behind /api; fates answers so many requests of a pattern with
	// this status, before anything is done.
	crumb fakeCrumb
	fates map[string]fate
	// slow requests of a pattern are answered once the channel is closed.
	slow map[string]chan struct{}
}

// A fate is what happens to the next few requests of a pattern.
type fate struct {
	times, status, retryAfter int
	detail                    string
}

type fakeJob struct {
	ID        string       `json:"id"`
	Task      string       `json:"task"`
	State     string       `json:"state"`
	StatusURL string       `json:"status_url"`
	Attempts  int          `json:"attempts"`
	Max       int          `json:"max_attempts"`
	Progress  *tasks.Sizes `json:"progress,omitempty"`
	Result    *tasks.Sizes `json:"result,omitempty"`
	Error     *fakeError   `json:"error,omitempty"`
	key       string
	started   bool
}

type fakeError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func newAPI(t testing.TB) *fakeAPI {
	bucket := newBucket(t)
	f := &fakeAPI{
		bucket: bucket, site: newSite(t, bucket.URL), table: rowstest.New(t), jobs: map[string]*fakeJob{},
		keys: map[string]string{}, busy: map[string]int{}, busyStatus: 503, retryAfter: 2,
		crumb: newCrumb(), fates: map[string]fate{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /uploads", f.upload)
	mux.HandleFunc("POST /jobs/photo.resize", f.enqueue)
	mux.HandleFunc("GET /jobs/{id}", f.status)
	mux.HandleFunc("DELETE /jobs/{id}", f.cancel)
	mux.HandleFunc("GET /", f.page)
	f.routes(mux)
	f.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		f.Close()
		f.work.Wait()
	})
	return f
}

// change alters how the API behaves while the page is open.
func (f *fakeAPI) change(how func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	how()
}

func (f *fakeAPI) upload(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var in struct {
		ContentType string `json:"content_type"`
		Bytes       int64  `json:"bytes"`
	}
	if f.refuses(w, r) || !decode(w, r, &in) {
		return
	}
	f.made++
	key := fmt.Sprintf("uploads/everyone/upload-%08d", f.made)
	answer(w, http.StatusCreated, map[string]any{
		"key": key, "url": f.bucket.URL + "/" + key, "expires_at": "2100-01-01T00:00:00Z",
		"headers": map[string]string{"Content-Type": in.ContentType, "If-None-Match": "*"},
	})
}

func (f *fakeAPI) enqueue(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var in tasks.ResizePhoto
	if f.refuses(w, r) || !decode(w, r, &in) {
		return
	}
	idempotency := r.Header.Get("Idempotency-Key")
	id, seen := f.keys[idempotency]
	if !seen {
		id = fmt.Sprintf("job%d", len(f.jobs)+1)
		f.keys[idempotency] = id
		f.jobs[id] = &fakeJob{ID: id, Task: "photo.resize", State: "queued", StatusURL: "/jobs/" + id, Max: 5, key: in.Key}
	}
	if f.losing > 0 {
		f.losing--
		cutOff(w)
	}
	w.Header().Set("Retry-After", "1")
	answer(w, http.StatusAccepted, f.jobs[id])
}

func (f *fakeAPI) status(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j, ok := f.jobs[r.PathValue("id")]
	if !ok {
		problem(w, http.StatusNotFound, "There is no such job.")
		return
	}
	etag := `"` + j.State + `"`
	if j.Progress != nil {
		etag = fmt.Sprintf(`"%s %d"`, j.State, len(j.Progress.Sizes))
	}
	w.Header().Set("ETag", etag)
	if j.State == "queued" || j.State == "running" {
		w.Header().Set("Retry-After", "1")
	}
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
	} else {
		answer(w, http.StatusOK, j)
	}
	if j.State == "queued" && !f.hold && !j.started {
		j.started = true
		f.work.Go(func() { f.run(j) })
	}
}

func (f *fakeAPI) run(j *fakeJob) {
	upload, err := uploads.Parse(j.key, "")
	if err != nil {
		panic("the page named no upload: " + j.key)
	}
	sizes, err := resizer.New(f, f.table, nil).Make(context.Background(), upload, func(sofar tasks.Sizes) error {
		f.change(func() { j.State, j.Progress = "running", &sofar })
		return nil
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	j.Attempts = 1
	if err != nil {
		j.State, j.Error = "dead", &fakeError{job.ErrorCode(err), err.Error()}
		return
	}
	j.State, j.Result = "done", &sizes
}

func (f *fakeAPI) cancel(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	j, ok := f.jobs[r.PathValue("id")]
	if !ok || j.State != "queued" {
		problem(w, http.StatusConflict, "The job is finished.")
		return
	}
	j.State = "cancelled"
	answer(w, http.StatusAccepted, j)
}

// page serves the page through its Lambda handler.
func (f *fakeAPI) page(w http.ResponseWriter, r *http.Request) {
	event := events.APIGatewayV2HTTPRequest{RawPath: r.URL.Path}
	event.RequestContext.HTTP.Method = r.Method
	response, err := f.site.Handle(r.Context(), event)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	for name, value := range response.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(response.StatusCode)
	io.WriteString(w, response.Body)
}

// refuses answers a POST that comes while the API is busy.
func (f *fakeAPI) refuses(w http.ResponseWriter, r *http.Request) bool {
	if f.busy[r.URL.Path] == 0 {
		return false
	}
	f.busy[r.URL.Path]--
	w.Header().Set("Retry-After", fmt.Sprint(f.retryAfter))
	problem(w, f.busyStatus, "The queue is full.")
	return true
}

// Get and Put make the fake bucket one that the resizer can use.
func (f *fakeAPI) Get(_ context.Context, key string, _ int64) ([]byte, string, error) {
	o, ok := f.bucket.get(key)
	if !ok {
		return nil, "", objects.ErrMissing
	}
	return o.data, o.contentType, nil
}

func (f *fakeAPI) Put(_ context.Context, key string, data []byte, contentType, _ string) error {
	f.bucket.set(key, fakeObject{data, contentType})
	return nil
}

// cutOff ends the connection in the middle of an answer. (One that is closed
// before any byte came back may be tried again by the browser itself.)
func cutOff(w http.ResponseWriter) {
	w.Header().Set("Content-Length", "100")
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusAccepted)
	io.WriteString(w, "{")
	http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(r.Body).Decode(into)
	if err != nil {
		problem(w, http.StatusBadRequest, err.Error())
	}
	return err == nil
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"status": status, "title": http.StatusText(status), "detail": detail})
}
