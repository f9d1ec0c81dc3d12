// Package telemetry is how the toolkit is seen from outside: measurements, the
// lines of a job's log, and the trace that a job belongs to.
//
// Whoever measures has a Recorder. EMF writes what was recorded as lines in
// CloudWatch's embedded metric format, from which CloudWatch Logs makes metrics without
// a call to its API; package opentelemetry hands the same measurements to OpenTelemetry.
// No Recorder means no measurements, and costs nothing:
//
//	recorder, err := telemetry.NewEMF(telemetry.EMFConfig{})
//	w, err := worker.New(worker.Config{Metrics: recorder, …}, worker.Handle(Resize, resize))
//
// LogHandler puts job, task, queue, attempt and trace on every line that is logged
// with a handler's context. Trace is the trace context of W3C and of X-Ray that came
// with the request, and goes with the job to whoever follows from it.
//
// The package uses the standard library alone and talks to nobody.
package telemetry
