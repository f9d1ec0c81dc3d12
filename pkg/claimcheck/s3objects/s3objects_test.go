package s3objects_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/nightshift-go/nightshift/internal/localaws"
	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/objecttest"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/s3objects"
)

// A bucket maker over the local endpoint, whose files are in dir.
func serve(t *testing.T, dir string, fault func(service, operation string, r *http.Request) *localaws.Fault) func(t *testing.T) *s3objects.Driver {
	t.Helper()
	server, err := localaws.New(localaws.Config{Dir: dir, Fault: fault})
	if err != nil {
		t.Fatal(err)
	}
	endpoint := httptest.NewServer(server)
	t.Cleanup(func() {
		endpoint.Close()
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	client := s3.New(s3.Options{
		BaseEndpoint: &endpoint.URL, Region: "us-east-1", UsePathStyle: true, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider("local", localaws.DefaultSecret, ""),
	})
	var buckets atomic.Int32
	return func(t *testing.T) *s3objects.Driver {
		t.Helper()
		name := fmt.Sprintf("objects-%d", buckets.Add(1))
		if _, err := client.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name}); err != nil {
			t.Fatal(err)
		}
		d, err := s3objects.New(s3objects.Config{API: client, Bucket: name, Presigner: s3.NewPresignClient(client)})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// The driver passes the suite over the wire, against the local endpoint.
func TestConformance(t *testing.T) {
	bucket := serve(t, localaws.InMemory, nil)
	objecttest.Run(t, func(t *testing.T) claimcheck.Driver { return bucket(t) })
}

func keep(t *testing.T, d *s3objects.Driver, key string, value []byte) {
	t.Helper()
	if err := d.Put(t.Context(), key, value); err != nil {
		t.Fatal(err)
	}
}

// A bit that fell over on the disk is told from a storage that does not answer.
func TestADamagedObject(t *testing.T) {
	dir := t.TempDir()
	d := serve(t, dir, nil)(t)
	value := bytes.Repeat([]byte("claim check "), 1000)
	keep(t, d, "jobs/a", value)
	damaged := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(data, value) {
			return err
		}
		data[5000] ^= 1
		damaged++
		return os.WriteFile(path, data, 0o600)
	})
	if err != nil || damaged != 1 {
		t.Fatalf("%d files were damaged, %v", damaged, err)
	}
	if _, err := d.Get(t.Context(), "jobs/a", 1<<20); !errors.Is(err, claimcheck.ErrDamaged) {
		t.Errorf("%v is not ErrDamaged", err)
	}
}

// An object that is missing and a storage that is down are told
// apart, also where the answer breaks off.
func TestAStorageThatIsDown(t *testing.T) {
	var down atomic.Bool
	d := serve(t, localaws.InMemory, func(service, operation string, _ *http.Request) *localaws.Fault {
		if down.Load() && service == "s3" {
			return &localaws.Fault{Status: 503, Code: "SlowDown", Message: "Please reduce your request rate."}
		}
		return nil
	})(t)
	o, err := claimcheck.New(d)
	if err != nil {
		t.Fatal(err)
	}
	const id = "01hz7vq3k8m5n9p2r4s6t8w0xy"
	claim, err := o.Put(t.Context(), claimcheck.ArgsKey(id, "a"), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	down.Store(true)
	_, errs := o.Get(t.Context(), claim)
	_, err = o.Put(t.Context(), claimcheck.ArgsKey(id, "b"), []byte("{}"))
	for _, err := range []error{errs, err, o.Delete(t.Context(), []string{claim.Key})} {
		if !errors.Is(err, claimcheck.ErrUnavailable) || errors.Is(err, claimcheck.ErrNotFound) {
			t.Errorf("%v is not ErrUnavailable", err)
		}
	}
	down.Store(false)
	if got, err := o.Get(t.Context(), claim); err != nil || string(got) != "{}" {
		t.Errorf("afterwards: %q, %v", got, err)
	}
}

// broken is a client whose answers break off.
type broken struct {
	s3objects.API
	body io.ReadCloser
}

func (b broken) GetObject(context.Context, *s3.GetObjectInput, ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	return &s3.GetObjectOutput{ContentLength: aws.Int64(10), Body: b.body}, nil
}

type noClose struct{ io.Reader }

func (noClose) Close() error { return errors.New("the connection was reset") }

func TestAnAnswerThatBreaksOff(t *testing.T) {
	for name, c := range map[string]struct {
		body    io.ReadCloser
		damaged bool
	}{
		"too short":  {io.NopCloser(strings.NewReader("123456789")), false},
		"not closed": {noClose{strings.NewReader("1234567890")}, false},
		"too long":   {io.NopCloser(strings.NewReader("1234567890+")), true},
	} {
		d, err := s3objects.New(s3objects.Config{API: broken{body: c.body}, Bucket: "b"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := d.Get(t.Context(), "jobs/a", 10)
		if err == nil || data != nil || errors.Is(err, claimcheck.ErrDamaged) != c.damaged {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
}

// Anybody may follow a link, with a client that knows nothing of AWS.
func TestALink(t *testing.T) {
	d := serve(t, localaws.InMemory, nil)(t)
	keep(t, d, "jobs/q.Lg.a/result-1", []byte(`{"a":1}`))
	url, err := d.Link(t.Context(), "jobs/q.Lg.a/result-1", time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
	}()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 || string(body) != `{"a":1}` || answer.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s %v, %v", answer.StatusCode, body, answer.Header, err)
	}
}

func TestNewReportsEveryMistake(t *testing.T) {
	_, err := s3objects.New(s3objects.Config{})
	for _, want := range []string{"API is missing", "Bucket is missing"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from: %v", want, err)
		}
	}
	d, err := s3objects.New(s3objects.Config{API: broken{}, Bucket: "b"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Link(t.Context(), "jobs/a", time.Minute); err == nil {
		t.Error("a link without a presigner")
	}
}
