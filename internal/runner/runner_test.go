package runner

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const template = "testdata/stack/template.yaml"

var built string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "runner")
	if err != nil {
		panic(err)
	}
	for _, f := range []string{"echo", "worker", "tail"} {
		build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", filepath.Join(folder, f, "bootstrap"), "./testdata/stack/functions/"+f)
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			panic(string(out))
		}
	}
	built = folder
	code := m.Run()
	if err := os.RemoveAll(folder); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// lines passes on what functions write.
type lines chan string

func (l lines) await(t *testing.T, want string) {
	t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line := <-l:
			if line == want {
				return
			}
		case <-timeout:
			t.Fatalf("%q was not written", want)
		}
	}
}

func config(change func(*Config)) (Config, lines) {
	written := make(lines, 1000)
	c := Config{Template: template, BuildDir: built, Prebuilt: true, StreamPoll: 20 * time.Millisecond,
		FunctionLog: func(function, line string) { written <- function + ": " + line }}
	if change != nil {
		change(&c)
	}
	return c, written
}

func start(t *testing.T, change func(*Config)) (*Stack, lines) {
	t.Helper()
	c, written := config(change)
	s, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, written
}

func post(t *testing.T, url, body string) (int, map[string]string, http.Header) {
	t.Helper()
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var got map[string]string
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, got, response.Header
}

func put(t *testing.T, s *Stack, publish string) {
	t.Helper()
	item := map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: "k" + publish}}
	if publish != "" {
		item["publish"] = &types.AttributeValueMemberS{Value: publish}
	}
	if _, err := s.clients.dynamodb.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("Table"), Item: item}); err != nil {
		t.Fatal(err)
	}
}

func send(t *testing.T, s *Stack, body string) {
	t.Helper()
	if _, err := s.clients.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(s.queues[1].url), MessageBody: &body}); err != nil {
		t.Fatal(err)
	}
}

func TestStack(t *testing.T) {
	s, written := start(t, nil)
	t.Run("http", func(t *testing.T) {
		status, got, _ := post(t, s.HTTPURL()+"/echo/x", "hello")
		if status != 201 || got["name"] != "x" || got["body"] != "hello" || len(got["secret"]) != 40 || got["table"] != "Table" ||
			!strings.HasSuffix(got["queue"], "/Work") || got["endpoint"] != s.AWSURL() {
			t.Errorf("%d %v", status, got)
		}
		if status, got, _ := post(t, s.HTTPURL()+"/echo/x", "fail"); status != 500 || got["message"] != "Internal Server Error" {
			t.Errorf("%d %v", status, got)
		}
		if status, _, _ := post(t, s.HTTPURL()+"/nowhere", ""); status != 404 {
			t.Errorf("an unknown path: %d", status)
		}
	})
	t.Run("queue", func(t *testing.T) {
		send(t, s, "good")
		written.await(t, "worker: message good")
		send(t, s, "bad")
		written.await(t, "worker: message bad")
		eventually(t, func() bool {
			q := stateOf(t, s).Queues[1]
			return q.Visible == 0 && q.InFlight == 1 // the bad one waits for its visibility timeout
		})
	})
	t.Run("stream", func(t *testing.T) {
		put(t, s, "")
		put(t, s, "first")
		written.await(t, "tail: record first")
		put(t, s, "bad")
		written.await(t, "tail: record bad")
		eventually(t, func() bool {
			out, err := s.clients.s3.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: aws.String("bucket"), Prefix: aws.String("aws/lambda/" + mappingUUID("TailFunctionStream") + "/")})
			return err == nil && len(out.Contents) == 1
		})
	})
	t.Run("invoke", func(t *testing.T) {
		for _, name := range []string{"echo", "EchoFunction", s.functions[0].arn} {
			if r, err := s.Invoke(t.Context(), name, []byte(`{"body":"x"}`)); err != nil || r.FunctionError != "" || !strings.Contains(string(r.Payload), `"statusCode":201`) {
				t.Errorf("%s: %s %v", name, r.Payload, err)
			}
		}
		if _, err := s.Invoke(t.Context(), "nobody", nil); !errors.Is(err, ErrNoFunction) {
			t.Errorf("got %v", err)
		}
		call := s.HTTPURL() + "/_nightshift/2015-03-31/functions/"
		if status, _, h := post(t, call+"echo/invocations", `{"body":"fail"}`); status != 200 || h.Get("X-Amz-Function-Error") != "Unhandled" {
			t.Errorf("%d %v", status, h)
		}
		if status, _, h := post(t, call+"nobody/invocations", `{}`); status != 404 || h.Get("X-Amzn-Errortype") != "ResourceNotFoundException" {
			t.Errorf("%d %v", status, h)
		}
	})
	t.Run("console", func(t *testing.T) {
		response, err := http.Get(s.HTTPURL() + "/_nightshift/")
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err != nil || !strings.Contains(string(body), "<title>Nightshift</title>") {
			t.Errorf("%s %v", body, err)
		}
	})
}

func TestAnotherEndpoint(t *testing.T) {
	aws, _ := start(t, func(c *Config) { c.WithoutSources = true })
	s, written := start(t, func(c *Config) { c.Endpoint = aws.AWSURL() })
	if s.AWSURL() != aws.AWSURL() {
		t.Errorf("the endpoint is %s", s.AWSURL())
	}
	send(t, aws, "from the other")
	written.await(t, "worker: message from the other")
}

func TestScheduleTicks(t *testing.T) {
	_, written := start(t, nil)
	written.await(t, "tail: tick")
}

func TestPagesOfOthersMayNotDriveTheStack(t *testing.T) {
	s, _ := start(t, func(c *Config) { c.WithoutSources = true })
	for _, change := range []func(*http.Request){
		func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		func(r *http.Request) { r.Host = "evil.example" },
		func(r *http.Request) { r.Header.Set("Origin", "null") },
	} {
		r, err := http.NewRequest("POST", s.HTTPURL()+"/_nightshift/2015-03-31/functions/echo/invocations", nil)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != 403 {
			t.Errorf("status %d", response.StatusCode)
		}
	}
}

func stateOf(t *testing.T, s *Stack) stackState {
	t.Helper()
	response, err := http.Get(s.HTTPURL() + "/_nightshift/state")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var got stackState
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	return got
}

// patience bounds what tests wait for, on a machine with other things to do as well.
const patience = 3 * time.Minute

// eventually waits for what has no event to wait for: counts of other processes.
func eventually(t *testing.T, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it does not come about")
		}
	}
}

func TestDataOutlivesTheStack(t *testing.T) {
	folder := t.TempDir()
	keep := func(c *Config) { c.DataDir = folder }
	c, written := config(keep)
	first, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), c); !errors.Is(err, ErrInUse) {
		t.Errorf("a second stack on the folder: %v", err)
	}
	if address, err := Running(folder); address != first.HTTPURL() || err != nil {
		t.Errorf("running at %q, %v", address, err)
	}
	_, before, _ := post(t, first.HTTPURL()+"/echo/x", "")
	put(t, first, "one")
	written.await(t, "tail: record one")
	eventually(t, func() bool { // the answer comes after the line
		return stateOf(t, first).Functions[2].Stats.Idle > 0
	})
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if address, err := Running(folder); address != "" || err != nil {
		t.Errorf("running at %q, %v after the end", address, err)
	}
	info, err := os.Stat(filepath.Join(folder, "secrets", "KeySecret"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret's file: %v, %v", info.Mode(), err)
	}
	second, written := start(t, keep)
	if _, after, _ := post(t, second.HTTPURL()+"/echo/x", ""); after["secret"] != before["secret"] {
		t.Error("the secret changed")
	}
	put(t, second, "two")
	for line := range written {
		if line == "tail: record one" {
			t.Error("a record was read again")
		}
		if line == "tail: record two" {
			break
		}
	}
}

func TestStartRefuses(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	broken := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(broken, []byte("Resources: {Q: {Type: AWS::SQS::Queue, Properties: {DelaySeconds: x}}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"the port is taken", func(c *Config) { c.HTTPAddr = taken.Addr().String() }, "is taken"},
		{"remote address", func(c *Config) { c.HTTPAddr = "0.0.0.0:0" }, ErrRemote.Error()},
		{"remote AWS address", func(c *Config) { c.AWSAddr = ":0" }, ErrRemote.Error()},
		{"no template", func(c *Config) { c.Template = "nowhere.yaml" }, "no such file"},
		{"broken template", func(c *Config) { c.Template = broken }, "line 1: Q.DelaySeconds"},
		{"a misspelt function, before anything is built", func(c *Config) { c.Only, c.Prebuilt, c.BuildDir = "ecko", false, t.TempDir() }, ErrNoFunction.Error()},
		{"not built", func(c *Config) { c.BuildDir = t.TempDir() }, "is not built"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config, _ := config(c.change)
			config.Logger = slog.New(slog.DiscardHandler)
			if _, err := Start(t.Context(), config); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
