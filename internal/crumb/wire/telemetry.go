package wire

import (
	"context"
	"time"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/nightshift-go/nightshift/pkg/settings"
	"github.com/nightshift-go/nightshift/pkg/telemetry"
)

// often is how often a process that polls writes what it measured.
const often = 10 * time.Second

// measure makes Metrics, which writes lines for CloudWatch to standard output; see
// telemetry.EMFConfig.Every.
func (e *Env) measure(every time.Duration) *telemetry.EMF {
	made, err := telemetry.NewEMF(telemetry.EMFConfig{
		Namespace: e.Settings.Text(settings.Namespace), Every: every, Logger: e.Logger, Now: e.Now,
	})
	if err != nil {
		e.problems = append(e.problems, err)
		return nil
	}
	e.Metrics = made
	return made
}

// flushing writes what was measured at the end of each invocation.
type flushing struct {
	lambda.Handler
	metrics telemetry.Recorder
}

// Invoke runs one invocation.
func (f flushing) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	defer telemetry.Flush(ctx, f.metrics)
	return f.Handler.Invoke(ctx, payload)
}
