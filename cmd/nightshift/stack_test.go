package main

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/store"
)

// A deadStack is a real stack with a relay, and no workers but the test.
type deadStack struct {
	t      *testing.T
	data   string
	found  runner.Found
	jobs   *store.Jobs
	client *sqs.Client
}

func startDeadStack(t *testing.T) *deadStack {
	t.Helper()
	d := &deadStack{t: t, data: t.TempDir()}
	stack, err := runner.Start(t.Context(), runner.Config{Template: "testdata/dead/template.yaml", DataDir: d.data, BuildDir: buildDir, StreamPoll: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Close(); err != nil {
			t.Error(err)
		}
	})
	var running bool
	if d.found, running, err = runner.Find(d.data); err != nil || !running || d.found.HTTP != stack.HTTPURL() || d.found.AWS != stack.AWSURL() {
		t.Fatalf("Find: %+v, %v, %v", d.found, running, err)
	}
	if _, told := d.found.Settings[settings.Secret]; told {
		t.Error("a secret is written down")
	}
	if d.jobs, err = store.New(store.Config{Driver: dynamo.New(dynamodb.NewFromConfig(d.found.AWSConfig()), d.found.Settings[settings.Table]), Now: apart()}); err != nil {
		t.Fatal(err)
	}
	d.client = sqs.NewFromConfig(d.found.AWSConfig())
	return d
}

// apart is a clock that gives no millisecond twice: what is made one after the other is
// in that order, however fast the machine is.
func apart() func() time.Time {
	var mu sync.Mutex
	var last time.Time
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now().Truncate(time.Millisecond); now.After(last) {
			last = now
		} else {
			last = last.Add(time.Millisecond)
		}
		return last
	}
}

// make puts a job into the table.
func (d *deadStack) make(n store.NewJob) job.ID {
	d.t.Helper()
	id, err := d.jobs.NewID()
	if err != nil {
		d.t.Fatal(err)
	}
	n.ID, n.MaxAttempts = id, 3
	if n.Args == nil {
		n.Args = []byte(`{"text":"hello"}`)
	}
	if _, _, err = d.jobs.Create(d.t.Context(), n); err != nil {
		d.t.Fatal(err)
	}
	return id
}

// claim lets a job run.
func (d *deadStack) claim(id job.ID) store.Record {
	d.t.Helper()
	claim, err := d.jobs.Claim(d.t.Context(), id, store.Lease{Token: "t", Until: time.Now().Add(time.Hour)})
	if err != nil || !claim.Granted {
		d.t.Fatalf("%+v, %v", claim, err)
	}
	return claim.Record
}

func (d *deadStack) finish(rec store.Record, o lifecycle.Outcome) {
	d.t.Helper()
	if _, err := d.jobs.Finish(d.t.Context(), rec, o); err != nil {
		d.t.Fatal(err)
	}
}

func (d *deadStack) report(rec store.Record, progress string) {
	d.t.Helper()
	if _, err := d.jobs.Report(d.t.Context(), rec, []byte(progress), time.Time{}); err != nil {
		d.t.Fatal(err)
	}
}

// run runs a command on the stack.
func (d *deadStack) run(args ...string) result {
	d.t.Helper()
	return nightshift(d.t, "", append(args, "--data", d.data)...)
}

// on gives the stack to a subtest.
func (d *deadStack) on(t *testing.T) *deadStack {
	other := *d
	other.t = t
	return &other
}

func (d *deadStack) want(got result, code int, out, err string) {
	d.t.Helper()
	if got.code != code || !strings.Contains(got.out, out) || out == "" && got.out != "" || !strings.Contains(got.err, err) {
		d.t.Errorf("exit %d, want %d; standard output, want %q:\n%s\nstandard error, want %q:\n%s", got.code, code, out, got.out, err, got.err)
	}
}

// asAWS makes the stack what the usual AWS settings lead to.
func (d *deadStack) asAWS() {
	t := d.t
	t.Setenv("AWS_ENDPOINT_URL", d.found.AWS)
	t.Setenv("AWS_REGION", d.found.Region)
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(t.TempDir(), "none"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(t.TempDir(), "none"))
}

// A misuseCase is a command line, and what becomes of it on standard error.
type misuseCase struct {
	args string
	code int
	want string
}

func checkMisuse(t *testing.T, cases []misuseCase) {
	t.Helper()
	for _, c := range cases {
		if got := nightshift(t, "", strings.Fields(c.args)...); got.code != c.code || got.out != "" || !strings.Contains(got.err, c.want) {
			t.Errorf("nightshift %s: %+v", c.args, got)
		}
	}
}
