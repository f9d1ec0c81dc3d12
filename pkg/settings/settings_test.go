package settings_test

import (
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/pkg/settings"
)

func from(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestEverythingMissingIsReported(t *testing.T) {
	r := settings.Read(from(map[string]string{settings.Bucket: "b", settings.LogLevel: "loud"}))
	if r.Required(settings.Table) != "" || r.Required(settings.Bucket) != "b" || r.Required(settings.QueueURL("photo-sizes")) != "" {
		t.Error("wrong values")
	}
	r.Level()
	err := r.Err()
	if err == nil {
		t.Fatal("nothing was reported")
	}
	for _, want := range []string{"NIGHTSHIFT_TABLE", "NIGHTSHIFT_QUEUE_PHOTO_SIZES_URL", "loud"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the report does not mention %s: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "NIGHTSHIFT_BUCKET") {
		t.Errorf("what is set is reported: %v", err)
	}
}

func TestLevel(t *testing.T) {
	r := settings.Read(from(nil))
	if r.Level() != slog.LevelInfo || r.Err() != nil {
		t.Errorf("default level: %v", r.Err())
	}
	if got := settings.Read(from(map[string]string{settings.LogLevel: "debug"})).Level(); got != slog.LevelDebug {
		t.Errorf("level %v", got)
	}
}

func ExampleReader() {
	r := settings.Read(func(string) string { return "" })
	r.Required(settings.Table)
	fmt.Println(r.Err())
	// Output: settings: NIGHTSHIFT_TABLE is not set: the function's construct sets it; for a run by hand see events/env.json
}

func TestQueuesAreFoundByTheirVariables(t *testing.T) {
	environment := map[string]string{"NIGHTSHIFT_QUEUE_": "no", "NIGHTSHIFT_QUEUE_X": "no", settings.Table: "t"}
	want := map[string]settings.QueueURLs{}
	for _, name := range []string{"photos", "photo-sizes", "dlq"} {
		want[name] = settings.QueueURLs{URL: "u:" + name, Letters: "l:" + name}
		environment[settings.QueueURL(name)], environment[settings.LettersURL(name)] = "u:"+name, "l:"+name
	}
	if got := settings.Queues(environment); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNamesOfTopics(t *testing.T) {
	if got := settings.TopicARN("recipe-events"); got != "NIGHTSHIFT_TOPIC_RECIPE_EVENTS_ARN" {
		t.Error(got)
	}
}

func TestNumbersAndTimes(t *testing.T) {
	r := settings.Read(from(map[string]string{settings.Pollers: "3", settings.Hold: "24s"}))
	if n, hold, drain := r.Count(settings.Pollers), r.Duration(settings.Hold), r.Duration(settings.Drain); n != 3 || hold != 24*time.Second || drain != 0 || r.Err() != nil {
		t.Errorf("%d, %v, %v, %v", n, hold, drain, r.Err())
	}
	for _, value := range []string{"0", "-1", "1.5", "many"} {
		if r := settings.Read(from(map[string]string{settings.Pollers: value})); r.Count(settings.Pollers) > 0 || r.Err() == nil {
			t.Errorf("a count of %q is taken", value)
		}
	}
	for _, value := range []string{"24", "-1s", "soon"} {
		r := settings.Read(from(map[string]string{settings.Drain: value}))
		if r.Duration(settings.Drain); r.Err() == nil {
			t.Errorf("a time of %q is taken", value)
		}
	}
}

func TestNamesOfMappings(t *testing.T) {
	if got := settings.MappingUUID("urgent-mail"); got != "NIGHTSHIFT_MAPPING_URGENT_MAIL" {
		t.Error(got)
	}
}

func TestSwitch(t *testing.T) {
	for value, want := range map[string]bool{"": false, "true": true, "1": true, "false": false} {
		r := settings.Read(from(map[string]string{settings.CountLoopback: value}))
		if r.Switch(settings.CountLoopback) != want || r.Err() != nil {
			t.Errorf("%q: want %v; %v", value, want, r.Err())
		}
	}
	r := settings.Read(from(map[string]string{settings.CountLoopback: "maybe"}))
	if r.Switch(settings.CountLoopback) || r.Err() == nil {
		t.Error("a value that is neither was taken")
	}
}
