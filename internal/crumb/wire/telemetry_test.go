package wire_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/wire"
	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

func TestLinesTellOfTheirJob(t *testing.T) {
	t.Setenv("AWS_REGION", "eu-west-1")
	var out bytes.Buffer
	env, err := wire.Load(t.Context(), func(string) string { return "" }, &out)
	if err != nil {
		t.Fatal(err)
	}
	env.Logger.InfoContext(telemetry.WithRun(t.Context(), telemetry.Run{Job: "01kb", Task: "photo.resize"}), "read")
	if !strings.Contains(out.String(), `"job":"01kb","task":"photo.resize"`) || env.Metrics == nil {
		t.Errorf("%s", out.String())
	}
}

func TestANamespaceThatIsNoneIsReported(t *testing.T) {
	env := load(t, map[string]string{settings.Namespace: "AWS/Lambda"})
	if err := env.Err(); err == nil || !strings.Contains(err.Error(), "AWS/Lambda") {
		t.Errorf("%v", err)
	}
}
