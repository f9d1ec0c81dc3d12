// Package constructs holds the AWS CDK constructs of Nightshift, for any CDK
// app in Go: the jobs table, worker queues with their functions, the backstop,
// the relay, topics with their subscriptions, the sweep, the HTTP API, the dashboard,
// and the bucket and secret they share.
//
// A stack makes the shared parts once, then one WorkerQueue for each kind of
// work, and tells the relay of it:
//
//	table := constructs.NewJobsTable(stack, "JobsTable")
//	backstop := constructs.NewBackstop(stack, "Backstop", ...)
//	relay := constructs.NewRelay(stack, "Relay", ...)
//	photos := constructs.NewWorkerQueue(stack, "Photos", ...)
//	relay.Publish(photos)
//
// What a queue is declared to be decides its workers, timeouts, alarms and lines on the
// dashboard alike. The description of each alarm ends with the address of its runbook.
//
// Every function has a role of its own that holds exactly the actions it was
// given with Allow, nothing that AWS manages. Constructs panic with a Mistake
// when their settings contradict one another, as CDK itself does at synthesis.
//
// The settings reach the toolkit's packages by the environment variables that
// package settings names. CDK constructs are not safe for concurrent use.
package constructs
