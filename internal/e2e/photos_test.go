package e2e_test

import (
	"bytes"
	"encoding/json"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"io"
	"net/http"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/photo"
	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/client"
)

// TestEverySample sends every sample photograph through the stack.
func TestEverySample(t *testing.T) {
	for _, s := range samplephotos.All() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			data, err := s.Data()
			if err != nil {
				t.Fatal(err)
			}
			if len(data) == 0 {
				refusedBeforeUpload(t, s)
				return
			}
			c, ctx := newClient(t)
			key, err := c.Upload(ctx, s.ContentType(), data)
			if err != nil {
				t.Fatal(err)
			}
			job, err := c.Enqueue(ctx, "photo.resize", tasks.ResizePhoto{Key: key})
			if err != nil {
				t.Fatal(err)
			}
			if job, err = c.Wait(ctx, job.ID); err != nil {
				t.Fatal(err)
			}
			if s.Want != "" {
				checkDead(t, job, s.Want)
				return
			}
			checkDone(t, job, s)
		})
	}
}

func refusedBeforeUpload(t *testing.T, s samplephotos.Sample) {
	t.Helper()
	got := send(t, "POST", "/uploads", `{"content_type":"`+s.ContentType()+`","bytes":0}`)
	if got.status != http.StatusBadRequest {
		t.Errorf("an upload of nothing is answered %d, want 400", got.status)
	}
}

func checkDead(t *testing.T, job client.Job, code string) {
	t.Helper()
	if job.State != "dead" || job.Error == nil || job.Error.Code != code || job.Attempts != 1 {
		t.Errorf("the job ended %s after %d attempts with %+v; want dead after one with %s", job.State, job.Attempts, job.Error, code)
	} else if job.Error.Message == "" || job.Error.Message == code {
		t.Errorf("the reason %q is for nobody", job.Error.Message)
	}
}

func checkDone(t *testing.T, job client.Job, s samplephotos.Sample) {
	t.Helper()
	if job.State != "done" || job.Attempts != 1 {
		t.Fatalf("the job ended %s after %d attempts (%+v), want done after one", job.State, job.Attempts, job.Error)
	}
	var sizes tasks.Sizes
	if err := json.Unmarshal(job.Result, &sizes); err != nil {
		t.Fatal(err)
	}
	want := photo.Sizes()
	if len(sizes.Sizes) != len(want) {
		t.Fatalf("there are %d sizes, want %d", len(sizes.Sizes), len(want))
	}
	for i, size := range sizes.Sizes {
		long := max(size.Width, size.Height)
		if size.Name != want[i].Name || long != min(want[i].Edge, max(s.Width, s.Height)) {
			t.Errorf("size %d is %s with a longer edge of %d, want %s of %d at most", i, size.Name, long, want[i].Name, want[i].Edge)
		}
		if size.Width*s.Height-size.Height*s.Width > max(s.Width, s.Height) {
			t.Errorf("%s is %d × %d: not the shape of %d × %d", size.Name, size.Width, size.Height, s.Width, s.Height)
		}
		checkPicture(t, size, s)
	}
}

// checkPicture fetches a size as a browser would, through the redirect.
func checkPicture(t *testing.T, size tasks.Size, s samplephotos.Sample) {
	t.Helper()
	response, err := http.Get(crumb.HTTPURL() + size.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %s", size.URL, response.StatusCode, err, data)
	}
	picture, format, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%s: %v", size.URL, err)
	}
	if b := picture.Bounds(); b.Dx() != size.Width || b.Dy() != size.Height || len(data) != size.Bytes {
		t.Errorf("%s holds %v in %d bytes, the job says %d × %d in %d", size.URL, b, len(data), size.Width, size.Height, size.Bytes)
	}
	if response.Header.Get("Content-Type") != "image/"+format || response.Header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
		t.Errorf("%s is served as %q, %q", size.URL, response.Header.Get("Content-Type"), response.Header.Get("Cache-Control"))
	}
	if opaque, ok := picture.(interface{ Opaque() bool }); !ok || opaque.Opaque() == s.Transparent {
		t.Errorf("%s: transparency was not kept as it was (%v)", size.URL, s.Transparent)
	}
	for _, trace := range []string{"Exif\x00", "eXIf", "GPS", "http://ns.adobe.com/xap", "Photoshop 3.0", "52.5208", "Larder 12"} {
		if bytes.Contains(data, []byte(trace)) {
			t.Errorf("%s still says %q", size.URL, trace)
		}
	}
}
