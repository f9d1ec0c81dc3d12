package telemetry_test

import (
	"os/exec"
	"strings"
	"testing"
)

// Who does not export to OpenTelemetry has nothing of it in the program, and who does
// chooses the SDK.
func TestImports(t *testing.T) {
	deps := func(packages ...string) string {
		t.Helper()
		out, err := exec.Command("go", append([]string{"list", "-deps"}, packages...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if all := deps("../worker", "../relay", "../sweep", "../httpapi", "../outbox", "../periodic", "../deadletter"); strings.Contains(all, "opentelemetry") {
		t.Errorf("OpenTelemetry is among the toolkit's imports:\n%s", all)
	}
	if all := deps("."); strings.Count(all, ".com/") != 1 { // itself
		t.Errorf("telemetry imports more than the standard library:\n%s", all)
	}
	if all := deps("./opentelemetry"); strings.Contains(all, "go.opentelemetry.io/otel/sdk") || !strings.Contains(all, "go.opentelemetry.io/otel/trace") {
		t.Errorf("opentelemetry imports the SDK, or not the API:\n%s", all)
	}
}
