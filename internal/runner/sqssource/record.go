package sqssource

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// record is one message in the shape of the Lambda event.
type record struct {
	MessageID              string               `json:"messageId"`
	ReceiptHandle          string               `json:"receiptHandle"`
	Body                   string               `json:"body"`
	Attributes             map[string]string    `json:"attributes"`
	MessageAttributes      map[string]attribute `json:"messageAttributes"`
	MD5OfMessageAttributes string               `json:"md5OfMessageAttributes,omitempty"`
	MD5OfBody              string               `json:"md5OfBody"`
	EventSource            string               `json:"eventSource"`
	EventSourceARN         string               `json:"eventSourceARN"`
	AWSRegion              string               `json:"awsRegion"`
}

type attribute struct {
	StringValue      *string  `json:"stringValue,omitempty"`
	BinaryValue      []byte   `json:"binaryValue,omitempty"`
	StringListValues []string `json:"stringListValues"`
	BinaryListValues [][]byte `json:"binaryListValues"`
	DataType         string   `json:"dataType"`
}

func (s *Source) record(m types.Message) (json.RawMessage, error) {
	r := record{
		MessageID: aws.ToString(m.MessageId), ReceiptHandle: aws.ToString(m.ReceiptHandle), Body: aws.ToString(m.Body),
		Attributes: m.Attributes, MessageAttributes: map[string]attribute{},
		MD5OfMessageAttributes: aws.ToString(m.MD5OfMessageAttributes), MD5OfBody: aws.ToString(m.MD5OfBody),
		EventSource: "aws:sqs", EventSourceARN: s.config.QueueARN, AWSRegion: s.config.Region,
	}
	if r.Attributes == nil {
		r.Attributes = map[string]string{}
	}
	for name, v := range m.MessageAttributes {
		r.MessageAttributes[name] = attribute{StringValue: v.StringValue, BinaryValue: v.BinaryValue,
			StringListValues: []string{}, BinaryListValues: [][]byte{}, DataType: aws.ToString(v.DataType)}
	}
	encoded, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encoding it: %w", err)
	}
	return encoded, nil
}
