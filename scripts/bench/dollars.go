package main

import (
	"fmt"
	"io"
)

// Prices in US dollars a million (or a GB-second, or a GB), us-east-1, on demand,
// from AWS's list prices as of pricesDate.
const (
	pricesDate = "2024-11"

	httpAPI        = 1.00
	lambdaRequest  = 0.20
	lambdaArmGBs   = 0.0000133334
	sqsRequest     = 0.40
	dynamoWrite    = 0.625
	dynamoRead     = 0.125
	logsGB         = 0.50
	megabytesByMs  = 1e6 / 1e3 / 1e3 // a million calls, ms to s, MB to GB
	functionMB     = 256
	relayBatch     = 100.0
	sendBatch      = 10.0
	workerBatch    = 10.0
	logBytesPerJob = 1000.0
)

// A cost is one line of the bill for a million jobs.
type cost struct {
	what    string
	formula string
	dollars float64
}

// dollars prints the bill for a million tracked jobs of at most 1 KB with full
// relay batches, ten to a worker's batch, one status poll each.
func dollars(out io.Writer) error {
	run := func(ms float64) float64 { return ms * functionMB * megabytesByMs * lambdaArmGBs }
	costs := []cost{
		{"HTTP API", "enqueue and one status poll", 2 * httpAPI},
		{"Lambda: enqueue", "1 request, 10 ms at 256 MB", lambdaRequest + run(10)},
		{"Lambda: status", "1 request, 5 ms at 256 MB", lambdaRequest + run(5)},
		{"Lambda: relay", "1/100 request, 1 ms a job at 256 MB", lambdaRequest/relayBatch + run(1)},
		{"Lambda: worker", "1/10 request, 10 ms a job at 256 MB", lambdaRequest/workerBatch + run(10)},
		{"DynamoDB", "3 writes of up to 1 KB, 1 consistent read", 3*dynamoWrite + dynamoRead},
		{"SQS", "1/10 send, 1/10 receive, 1/10 delete", 3 / sendBatch * sqsRequest},
		{"Logs", "1 KB a job", logBytesPerJob / 1e3 * logsGB},
	}
	fmt.Fprintf(out, "\n### Dollars a million jobs (list prices of us-east-1, %s)\n\n| what | how much of it | $ |\n|---|---|---|\n", pricesDate)
	var sum float64
	for _, c := range costs {
		fmt.Fprintf(out, "| %s | %s | %.2f |\n", c.what, c.formula, c.dollars)
		sum += c.dollars
	}
	_, err := fmt.Fprintf(out, "| **all** | | **%.2f** |\n", sum)
	return err
}
