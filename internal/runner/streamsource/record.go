package streamsource

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

// A record is one stream record, ready for an event.
type record struct {
	sequence string
	created  time.Time
	key      string // the item's key, for the choice of a lane
	event    json.RawMessage
}

type eventRecord struct {
	EventID        string        `json:"eventID"`
	EventName      string        `json:"eventName"`
	EventVersion   string        `json:"eventVersion"`
	EventSource    string        `json:"eventSource"`
	AWSRegion      string        `json:"awsRegion"`
	DynamoDB       change        `json:"dynamodb"`
	EventSourceARN string        `json:"eventSourceARN"`
	UserIdentity   *userIdentity `json:"userIdentity,omitempty"`
}

// userIdentity is spelled in lower case in events, unlike in the Streams API.
type userIdentity struct {
	Type        string `json:"type"`
	PrincipalID string `json:"principalId"`
}

type change struct {
	ApproximateCreationDateTime int64          `json:"ApproximateCreationDateTime"`
	Keys                        map[string]any `json:"Keys"`
	NewImage                    map[string]any `json:"NewImage,omitempty"`
	OldImage                    map[string]any `json:"OldImage,omitempty"`
	SequenceNumber              string         `json:"SequenceNumber"`
	SizeBytes                   int64          `json:"SizeBytes"`
	StreamViewType              string         `json:"StreamViewType"`
}

func (s *Source) record(r types.Record) (record, error) {
	d := r.Dynamodb
	if d == nil {
		return record{}, fmt.Errorf("streamsource: record %s has no change", aws.ToString(r.EventID))
	}
	created := aws.ToTime(d.ApproximateCreationDateTime)
	e := eventRecord{
		EventID: aws.ToString(r.EventID), EventName: string(r.EventName), EventVersion: aws.ToString(r.EventVersion),
		EventSource: "aws:dynamodb", AWSRegion: s.config.Region, EventSourceARN: s.config.StreamARN,
		DynamoDB: change{
			ApproximateCreationDateTime: created.Unix(),
			Keys:                        item(d.Keys), NewImage: item(d.NewImage), OldImage: item(d.OldImage),
			SequenceNumber: aws.ToString(d.SequenceNumber), SizeBytes: aws.ToInt64(d.SizeBytes), StreamViewType: string(d.StreamViewType),
		},
	}
	if r.UserIdentity != nil {
		e.UserIdentity = &userIdentity{Type: aws.ToString(r.UserIdentity.Type), PrincipalID: aws.ToString(r.UserIdentity.PrincipalId)}
	}
	encoded, err := json.Marshal(e)
	if err != nil {
		return record{}, fmt.Errorf("streamsource: encoding a record: %w", err)
	}
	key, err := json.Marshal(e.DynamoDB.Keys) // map keys come out sorted
	if err != nil {
		return record{}, fmt.Errorf("streamsource: encoding a key: %w", err)
	}
	return record{sequence: e.DynamoDB.SequenceNumber, created: created, key: string(key), event: encoded}, nil
}

func item(attributes map[string]types.AttributeValue) map[string]any {
	if attributes == nil {
		return nil
	}
	all := make(map[string]any, len(attributes))
	for name, v := range attributes {
		all[name] = value(v)
	}
	return all
}

// value gives an attribute value in DynamoDB's JSON.
// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_AttributeValue.html
func value(v types.AttributeValue) any {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return map[string]any{"S": v.Value}
	case *types.AttributeValueMemberN:
		return map[string]any{"N": v.Value}
	case *types.AttributeValueMemberB:
		return map[string]any{"B": v.Value}
	case *types.AttributeValueMemberBOOL:
		return map[string]any{"BOOL": v.Value}
	case *types.AttributeValueMemberNULL:
		return map[string]any{"NULL": v.Value}
	case *types.AttributeValueMemberSS:
		return map[string]any{"SS": v.Value}
	case *types.AttributeValueMemberNS:
		return map[string]any{"NS": v.Value}
	case *types.AttributeValueMemberBS:
		return map[string]any{"BS": v.Value}
	case *types.AttributeValueMemberM:
		members := item(v.Value)
		if members == nil {
			members = map[string]any{}
		}
		return map[string]any{"M": members}
	case *types.AttributeValueMemberL:
		list := make([]any, len(v.Value))
		for i, member := range v.Value {
			list[i] = value(member)
		}
		return map[string]any{"L": list}
	}
	return map[string]any{} // a kind that DynamoDB does not have
}
