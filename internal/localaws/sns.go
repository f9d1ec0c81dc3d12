package localaws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
	"github.com/nightshift-go/nightshift/internal/localaws/sns"
)

func (s *Server) openSNS(path string) (err error) {
	s.sns, err = sns.Open(sns.Config{
		Path: path, Now: s.cfg.Now, Region: s.cfg.Region, AccountID: s.cfg.AccountID,
		Send: s.deliver, Log: func(message string) { s.cfg.Logger.Warn(message, "service", "sns") },
	})
	return err
}

// sqsAttribute is a message attribute on SQS's wire.
type sqsAttribute struct {
	DataType    string
	StringValue string `json:",omitempty"`
	BinaryValue []byte `json:",omitempty"`
}

// sqsEntry is a message of a batch on SQS's wire.
type sqsEntry struct {
	ID                      string `json:"Id"`
	MessageBody             string
	MessageAttributes       map[string]sqsAttribute `json:",omitempty"`
	MessageSystemAttributes map[string]sqsAttribute `json:",omitempty"`
	MessageGroupID          string                  `json:"MessageGroupId,omitempty"`
	MessageDeduplicationID  string                  `json:"MessageDeduplicationId,omitempty"`
}

// deliver puts messages of topics into a queue of this endpoint.
func (s *Server) deliver(ctx context.Context, queueARN string, messages []sns.Outgoing) []error {
	results := make([]error, len(messages))
	all := func(err error) []error {
		for i := range results {
			results[i] = err
		}
		return results
	}
	parts := strings.Split(queueARN, ":")
	if len(parts) != 6 {
		return all(fmt.Errorf("%w: %q is no ARN of a queue", sns.ErrRefused, queueARN))
	}
	request := struct {
		QueueURL string `json:"QueueUrl"`
		Entries  []sqsEntry
	}{QueueURL: "http://localhost/" + parts[4] + "/" + parts[5]}
	for i, m := range messages {
		request.Entries = append(request.Entries, entryOf(strconv.Itoa(i), m))
	}
	encoded, err := json.Marshal(request)
	if err != nil {
		return all(fmt.Errorf("encoding messages to %s: %w", queueARN, err))
	}
	answer, err := s.sqs.Service().Operations["SendMessageBatch"](ctx, encoded)
	var refused *awsjson.Error
	if errors.As(err, &refused) {
		return all(fmt.Errorf("%w %s: %w", sns.ErrRefused, queueARN, refused))
	}
	if err != nil {
		return all(err)
	}
	return failures(answer, queueARN, results)
}

func entryOf(id string, m sns.Outgoing) sqsEntry {
	e := sqsEntry{ID: id, MessageBody: m.Body, MessageGroupID: m.Group, MessageDeduplicationID: m.Dedup, MessageAttributes: map[string]sqsAttribute{}}
	for name, a := range m.Attributes {
		e.MessageAttributes[name] = sqsAttribute(a)
	}
	if m.Trace != "" {
		e.MessageSystemAttributes = map[string]sqsAttribute{"AWSTraceHeader": {DataType: "String", StringValue: m.Trace}}
	}
	return e
}

// failures reads which entries of a batch were refused.
func failures(answer any, queueARN string, results []error) []error {
	var batch struct {
		Failed []struct {
			ID            string `json:"Id"`
			Code, Message string
			SenderFault   bool
		}
	}
	encoded, err := json.Marshal(answer)
	if err == nil {
		err = json.Unmarshal(encoded, &batch)
	}
	for i := range results {
		results[i] = err
	}
	for _, f := range batch.Failed {
		i, err := strconv.Atoi(f.ID)
		if err != nil || i >= len(results) {
			continue // an id that was not given
		}
		results[i] = fmt.Errorf("%s: %s: %s", queueARN, f.Code, f.Message)
		if f.SenderFault {
			results[i] = fmt.Errorf("%w %w", sns.ErrRefused, results[i])
		}
	}
	return results
}
