// Package e2e tests Crumb as a whole: its functions as processes, its queues,
// table and bucket, through HTTP, by Go and by a browser. There is nothing in
// it but tests.
package e2e
