package lambda_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awslambda "github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/internal/localaws/lambda"
)

const (
	photos = "arn:aws:sqs:us-east-1:000000000000:photos"
	stream = "arn:aws:dynamodb:us-east-1:000000000000:table/jobs/stream/1"
	resize = "arn:aws:lambda:us-east-1:000000000000:function:resize"
	relay  = "arn:aws:lambda:us-east-1:000000000000:function:relay"
)

// A world is an endpoint with two mappings, a file, and what was applied.
type world struct {
	t       *testing.T
	path    string
	now     time.Time
	db      *lambda.DB
	client  *awslambda.Client
	applied []lambda.Setting
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, path: filepath.Join(t.TempDir(), "lambda.db"), now: time.Unix(1_800_000_000, 0)}
	w.open()
	t.Cleanup(func() {
		if err := w.db.Close(); err != nil {
			t.Error(err)
		}
	})
	w.declare(lambda.Setting{Enabled: true, MaximumConcurrency: 10})
	return w
}

func (w *world) open() {
	db, err := lambda.Open(lambda.Config{Path: w.path, Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	server := httptest.NewServer(db)
	w.t.Cleanup(server.Close)
	w.db = db
	w.client = awslambda.New(awslambda.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", RetryMaxAttempts: 1, Credentials: credentials.NewStaticCredentialsProvider("k", "s", ""),
	})
}

func (w *world) declare(template lambda.Setting) lambda.Setting {
	w.t.Helper()
	got, err := w.db.Declare(lambda.Mapping{UUID: "u-1", EventSourceARN: photos, FunctionARN: resize, Setting: template,
		Details: map[string]any{"BatchSize": 5}, Apply: func(s lambda.Setting) { w.applied = append(w.applied, s) }})
	if err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.db.Declare(lambda.Mapping{UUID: "u-2", EventSourceARN: stream, FunctionARN: relay, Setting: lambda.Setting{Enabled: true}}); err != nil {
		w.t.Fatal(err)
	}
	return got
}

// again opens the file as after a restart.
func (w *world) again(template lambda.Setting) lambda.Setting {
	w.t.Helper()
	if err := w.db.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
	return w.declare(template)
}

func (w *world) update(in *awslambda.UpdateEventSourceMappingInput) (*awslambda.UpdateEventSourceMappingOutput, error) {
	in.UUID = aws.String("u-1")
	return w.client.UpdateEventSourceMapping(w.t.Context(), in)
}

func most(n int32) *types.ScalingConfig { return &types.ScalingConfig{MaximumConcurrency: &n} }

func code(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return fmt.Sprint(err)
}

func TestAMappingIsReadAndChanged(t *testing.T) {
	w := newWorld(t)
	get := func() *awslambda.GetEventSourceMappingOutput {
		t.Helper()
		got, err := w.client.GetEventSourceMapping(t.Context(), &awslambda.GetEventSourceMappingInput{UUID: aws.String("u-1")})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := get(); *got.State != "Enabled" || *got.ScalingConfig.MaximumConcurrency != 10 || *got.BatchSize != 5 || *got.FunctionArn != resize ||
		*got.EventSourceMappingArn != "arn:aws:lambda:us-east-1:000000000000:event-source-mapping:u-1" || !got.LastModified.Equal(w.now) {
		t.Errorf("%+v", got)
	}
	for _, c := range []struct {
		in           *awslambda.UpdateEventSourceMappingInput
		doing, after string
		want         lambda.Setting
	}{
		{&awslambda.UpdateEventSourceMappingInput{ScalingConfig: most(40)}, "Updating", "Enabled", lambda.Setting{Enabled: true, MaximumConcurrency: 40}},
		{&awslambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(false)}, "Disabling", "Disabled", lambda.Setting{MaximumConcurrency: 40}},
		{&awslambda.UpdateEventSourceMappingInput{ScalingConfig: most(2)}, "Updating", "Disabled", lambda.Setting{MaximumConcurrency: 2}},
		{&awslambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(true)}, "Enabling", "Enabled", lambda.Setting{Enabled: true, MaximumConcurrency: 2}},
		{&awslambda.UpdateEventSourceMappingInput{ScalingConfig: &types.ScalingConfig{}}, "Updating", "Enabled", lambda.Setting{Enabled: true}},
	} {
		out, err := w.update(c.in)
		if err != nil {
			t.Fatal(err)
		}
		if got := get(); *out.State != c.doing || *got.State != c.doing {
			t.Errorf("%s, then %s; want %s", *out.State, *got.State, c.doing)
		}
		if _, err := w.update(c.in); code(err) != "ResourceInUseException" {
			t.Errorf("while %s: %v", c.doing, err)
		}
		w.now = w.now.Add(lambda.DefaultSettle)
		if got := get(); *got.State != c.after {
			t.Errorf("%s, want %s", *got.State, c.after)
		}
		if got := w.applied[len(w.applied)-1]; got != c.want {
			t.Errorf("%+v is applied, want %+v", got, c.want)
		}
	}
}

func TestWhatLambdaRefuses(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		in   *awslambda.UpdateEventSourceMappingInput
		want string
	}{
		{&awslambda.UpdateEventSourceMappingInput{ScalingConfig: most(1)}, "ValidationException"},
		{&awslambda.UpdateEventSourceMappingInput{ScalingConfig: most(1001)}, "ValidationException"},
		{&awslambda.UpdateEventSourceMappingInput{BatchSize: aws.Int32(3)}, "InvalidRequestContentException"},
		{&awslambda.UpdateEventSourceMappingInput{FunctionName: aws.String("other")}, "InvalidParameterValueException"},
	} {
		if _, err := w.update(c.in); code(err) != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	if _, err := w.client.GetEventSourceMapping(t.Context(), &awslambda.GetEventSourceMappingInput{UUID: aws.String("u-9")}); code(err) != "ResourceNotFoundException" {
		t.Error(err)
	}
	in := &awslambda.UpdateEventSourceMappingInput{UUID: aws.String("u-9"), Enabled: aws.Bool(true)}
	if _, err := w.client.UpdateEventSourceMapping(t.Context(), in); code(err) != "ResourceNotFoundException" {
		t.Error(err)
	}
	in = &awslambda.UpdateEventSourceMappingInput{UUID: aws.String("u-2"), ScalingConfig: most(5)}
	if _, err := w.client.UpdateEventSourceMapping(t.Context(), in); code(err) != "InvalidParameterValueException" {
		t.Errorf("of a stream: %v", err)
	}
	if _, err := w.client.DeleteEventSourceMapping(t.Context(), &awslambda.DeleteEventSourceMappingInput{UUID: aws.String("u-1")}); code(err) != "UnknownOperationException" {
		t.Error(err)
	}
	if _, err := w.client.ListFunctions(t.Context(), &awslambda.ListFunctionsInput{}); code(err) != "UnknownOperationException" {
		t.Error(err)
	}
	if len(w.applied) != 0 {
		t.Errorf("%+v was applied", w.applied)
	}
}

func TestList(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		in   awslambda.ListEventSourceMappingsInput
		want string
	}{
		{awslambda.ListEventSourceMappingsInput{}, "u-1 u-2"},
		{awslambda.ListEventSourceMappingsInput{MaxItems: aws.Int32(1)}, "u-1 u-2"},
		{awslambda.ListEventSourceMappingsInput{EventSourceArn: aws.String(stream)}, "u-2"},
		{awslambda.ListEventSourceMappingsInput{FunctionName: aws.String("resize")}, "u-1"},
		{awslambda.ListEventSourceMappingsInput{FunctionName: aws.String(resize)}, "u-1"},
		{awslambda.ListEventSourceMappingsInput{FunctionName: aws.String("000000000000:function:relay")}, "u-2"},
		{awslambda.ListEventSourceMappingsInput{FunctionName: aws.String("size")}, ""},
	} {
		got := ""
		pages := awslambda.NewListEventSourceMappingsPaginator(w.client, &c.in)
		for pages.HasMorePages() {
			page, err := pages.NextPage(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.EventSourceMappings {
				if got != "" {
					got += " "
				}
				got += *m.UUID
			}
		}
		if got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	if _, err := w.client.ListEventSourceMappings(t.Context(), &awslambda.ListEventSourceMappingsInput{MaxItems: aws.Int32(10_001)}); code(err) != "ValidationException" {
		t.Error(err)
	}
}

// A change stays until a template says something else than the one before.
func TestChangesStayUntilATemplateChanges(t *testing.T) {
	w := newWorld(t)
	template := lambda.Setting{Enabled: true, MaximumConcurrency: 10}
	if _, err := w.update(&awslambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(false), ScalingConfig: most(40)}); err != nil {
		t.Fatal(err)
	}
	if got := w.again(template); got != (lambda.Setting{MaximumConcurrency: 40}) {
		t.Errorf("after a restart: %+v", got)
	}
	template.MaximumConcurrency = 20
	if got := w.again(template); got != template {
		t.Errorf("after another template: %+v", got)
	}
	if got := w.again(template); got != template {
		t.Errorf("after one more restart: %+v", got)
	}
}

// A change that was under way when the stack ended is over when it starts again, whatever
// its clock says then.
func TestAChangeEndsWithTheStack(t *testing.T) {
	w := newWorld(t)
	w.now = w.now.Add(24 * time.Hour)
	if _, err := w.update(&awslambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(false)}); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(-24 * time.Hour)
	w.again(lambda.Setting{Enabled: true, MaximumConcurrency: 10})
	if _, err := w.update(&awslambda.UpdateEventSourceMappingInput{Enabled: aws.Bool(true)}); err != nil {
		t.Error(err)
	}
}
