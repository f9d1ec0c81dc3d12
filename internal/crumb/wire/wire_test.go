package wire_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

func load(t *testing.T, environment map[string]string) *wire.Env {
	t.Helper()
	t.Setenv("AWS_REGION", "eu-west-1")
	env, err := wire.Load(t.Context(), func(name string) string { return environment[name] }, &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func TestMissingSettingsAreAllNamed(t *testing.T) {
	env := load(t, map[string]string{settings.LogLevel: "loud"})
	env.Jobs()
	env.Objects()
	env.Queue()
	env.Addresses(tasks.Queues()...)
	err := env.Err()
	if err == nil {
		t.Fatal("nothing is set and nothing is missing")
	}
	for _, name := range []string{settings.LogLevel, settings.Table, settings.Bucket, settings.QueueURL("photos"), settings.LettersURL("photos")} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
}

func TestOnlyWhatIsCalledForIsNeeded(t *testing.T) {
	env := load(t, map[string]string{settings.Table: "jobs", settings.LogLevel: "warn"})
	if env.Jobs() == nil {
		t.Error("no jobs")
	}
	if err := env.Err(); err != nil {
		t.Error(err)
	}
	if env.Logger.Enabled(t.Context(), slog.LevelInfo) {
		t.Error("the level of the logs was not taken")
	}
}

func TestObjects(t *testing.T) {
	env := load(t, map[string]string{settings.Bucket: "objects"})
	objects := env.Objects()
	if err := env.Err(); err != nil || objects == nil {
		t.Fatal(objects, err)
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "test")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "test")
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")
	link, err := load(t, map[string]string{settings.Bucket: "objects"}).Objects().
		Link(t.Context(), lifecycle.Object{Key: "jobs/a/result-b"}, time.Minute)
	if err != nil || !strings.HasPrefix(link, "http://127.0.0.1:4566/objects/jobs/a/result-b?") {
		t.Errorf("%s, %v", link, err)
	}
}
