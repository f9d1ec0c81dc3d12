package worker

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A plainRecord is a record for the decoder that works by reflection.
type plainRecord struct {
	MessageID  string `json:"messageId"`
	Receipt    string `json:"receiptHandle"`
	Body       string `json:"body"`
	Source     string `json:"eventSource"`
	ARN        string `json:"eventSourceARN"`
	Attributes struct {
		Receives string `json:"ApproximateReceiveCount"`
		Group    string `json:"MessageGroupId"`
		Trace    string `json:"AWSTraceHeader"`
	} `json:"attributes"`
	MessageAttributes jsontext.Value `json:"messageAttributes"`
}

func (r plainRecord) record() record {
	return record{r.MessageID, r.Receipt, r.Body, r.Source, r.ARN, r.Attributes.Receives, r.Attributes.Group, r.Attributes.Trace, nonEmpty(r.MessageAttributes), time.Time{}}
}

// Reading by token takes and refuses what the general decoder does, and finds the
// same in it.
func FuzzEventReader(f *testing.F) {
	const one = `{"messageId":"m","receiptHandle":"r","body":"{\"id\":\"\\u00e9\"}","attributes":{"ApproximateReceiveCount":"2","MessageGroupId":"g","SenderId":"s","AWSTraceHeader":"Root=1"},"messageAttributes":{"a":[1,{"b":null}]},"md5OfBody":"x","eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:eu-west-1:1:notes","awsRegion":"eu-west-1"}`
	for _, event := range []string{
		`{"Records":[` + one + `]}`, ` { "x" : [1] , "Records" : [ ` + one + ` , ` + one + `]}`, `{"Records":[` + one + `],"Records":[]}`,
		`{"Records":[{"message\u0049d":"m","body":"\ud83d\ude00"}]}`, `{"Records":[{"messageId":"m","messageId":"n"}]}`, `{"Records":[{"messageId":"m","message\u0049d":"n"}]}`,
		`{"Records":[{"MessageId":"m"}]}`, `{"Records":[{"messageId":7}]}`, `{"Records":[{"attributes":[]}]}`, `{"Records":[{"attributes":null,"body":null}]}`,
		`{"Records":[{"attributes":{"MessageGroupId":"g","MessageGroupId":"h"}}]}`, `{"Records":[{"attributes":{"x":1,"x":1}}]}`, `{"Records":[{"awsRegion":{"x":1,"x":1}}]}`,
		`{"Records":{}}`, `{"Records":[1]}`, `{"Records":[null]}`, `{"Records":null}`, `null`, `[]`, `{}`, ``, `{"Records":[{}}`, `{"Records":[{"body":"` + "\xff" + `"}]}`, `{"Records":[{"body":"\ud800"}]}`, `{} 1`,
	} {
		f.Add([]byte(event))
	}
	f.Fuzz(func(t *testing.T, event []byte) {
		var reader eventReader
		err := json.Unmarshal(event, &reader)
		var plain struct{ Records []plainRecord }
		if plainErr := json.Unmarshal(event, &plain); (err == nil) != (plainErr == nil) {
			t.Fatalf("%q: %v, the general decoder: %v", event, err, plainErr)
		}
		if err != nil {
			return
		}
		if len(reader.records) != len(plain.Records) {
			t.Fatalf("%q: %d records, the general decoder finds %d", event, len(reader.records), len(plain.Records))
		}
		for i, want := range plain.Records {
			if got := reader.records[i]; got != want.record() {
				t.Errorf("%q: record %d is %+v, the general decoder finds %+v", event, i, got, want)
			}
		}
	})
}
