// Package partial reads the answer of a function that reports which records of
// its batch failed (ReportBatchItemFailures), by Lambda's rules for malformed
// answers.
//
// https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
// https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
package partial

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// Failures gives the identifiers of the failed records. An error means that
// Lambda would take the whole batch as failed: invalid JSON, an itemIdentifier
// that is empty, null, misnamed, or of no record of the batch. An empty or null
// answer or list is complete success.
func Failures(answer []byte, batch map[string]bool) (map[string]bool, error) {
	if len(bytes.TrimSpace(answer)) == 0 {
		return nil, nil
	}
	if !json.Valid(answer) {
		return nil, errors.New("it is not JSON")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(answer, &members); err != nil {
		// A text or a number says nothing of failures. An empty one is an
		// empty response; for others Lambda's documentation has no rule.
		var s string
		if json.Unmarshal(answer, &s) == nil && s == "" {
			return nil, nil
		}
		return nil, errors.New("it is not an object")
	}
	list, ok := members["batchItemFailures"]
	if !ok || string(list) == "null" {
		return nil, nil
	}
	var items []map[string]any
	if err := json.Unmarshal(list, &items); err != nil {
		return nil, errors.New("batchItemFailures is not a list of objects")
	}
	failed := map[string]bool{}
	for _, item := range items {
		id, _ := item["itemIdentifier"].(string)
		switch {
		case id == "":
			return nil, errors.New("an itemIdentifier is absent, null, empty or misnamed")
		case !batch[id]:
			return nil, fmt.Errorf("the itemIdentifier %q is of no record of the batch", id)
		}
		failed[id] = true
	}
	return failed, nil
}
