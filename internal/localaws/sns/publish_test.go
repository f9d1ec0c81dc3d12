package sns_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	client "github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sns/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

var raw = map[string]string{"RawMessageDelivery": "true"}

func TestFanOut(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic := a.topic("recipes", nil)
	plain, wrapped, filtered := a.queue("plain"), a.queue("wrapped"), a.queue("filtered")
	a.subscribed(topic, "plain", raw)
	a.subscribed(topic, "wrapped", nil)
	a.subscribed(topic, "filtered", map[string]string{"RawMessageDelivery": "true", "FilterPolicy": `{"event":["recipe.deleted"]}`})
	attributes := map[string]types.MessageAttributeValue{"event": text("recipe.published"), "b": {DataType: aws.String("Binary"), BinaryValue: []byte{0, 255}}}
	published, err := a.Publish(t.Context(), &client.PublishInput{TopicArn: topic, Message: aws.String("<hi> & ho \u00e9"), Subject: aws.String("news"), MessageAttributes: attributes})
	a.must(err)
	got := a.got(plain)
	if len(got) != 1 || *got[0].Body != "<hi> & ho \u00e9" || *got[0].MessageAttributes["event"].StringValue != "recipe.published" || string(got[0].MessageAttributes["b"].BinaryValue) != "\x00\xff" {
		t.Fatalf("raw: %v", got)
	}
	got = a.got(wrapped)
	if len(got) != 1 || len(got[0].MessageAttributes) != 0 {
		t.Fatalf("wrapped: %v", got)
	}
	var e struct {
		Type, MessageId, TopicArn, Subject, Message, Timestamp, SignatureVersion, Signature, SigningCertURL, UnsubscribeURL string
		MessageAttributes                                                                                                   map[string]struct{ Type, Value string }
	}
	if err := json.Unmarshal([]byte(*got[0].Body), &e); err != nil {
		t.Fatal(err)
	}
	if e.Type != "Notification" || e.MessageId != *published.MessageId || e.TopicArn != *topic || e.Subject != "news" || e.Message != "<hi> & ho \u00e9" ||
		e.SignatureVersion != "1" || e.Signature == "" || e.SigningCertURL == "" || !strings.Contains(e.UnsubscribeURL, *topic) || len(e.Timestamp) != len("2026-01-02T03:04:05.678Z") {
		t.Errorf("%+v", e)
	}
	if e.MessageAttributes["event"].Value != "recipe.published" || e.MessageAttributes["b"].Type != "Binary" || e.MessageAttributes["b"].Value != "AP8=" {
		t.Errorf("%+v", e.MessageAttributes)
	}
	if got := a.got(filtered); len(got) != 0 {
		t.Errorf("filtered: %v", got)
	}
	_, err = a.Publish(t.Context(), &client.PublishInput{TargetArn: topic, Message: aws.String(`{"default":"d","sqs":"s"}`), MessageStructure: aws.String("json")})
	a.must(err)
	if got := a.bodies(plain); got != "s" {
		t.Errorf("for SQS: %s", got)
	}
}

func TestRefusedMessages(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic, ordered := a.topic("recipes", nil), a.topic("stock.fifo", nil)
	with := func(dataType, value string) map[string]types.MessageAttributeValue {
		return map[string]types.MessageAttributeValue{"n": {DataType: &dataType, StringValue: &value}}
	}
	for name, c := range map[string]struct {
		input client.PublishInput
		want  string
	}{
		"empty":              {client.PublishInput{TopicArn: topic, Message: aws.String("")}, "InvalidParameter: Invalid parameter:  Empty message"},
		"too long":           {client.PublishInput{TopicArn: topic, Message: aws.String(strings.Repeat("x", 256<<10+1))}, "Invalid parameter: Message too long"},
		"no such topic":      {client.PublishInput{TopicArn: aws.String(*topic + "x"), Message: aws.String("m")}, "NotFound: Topic does not exist"},
		"no ARN":             {client.PublishInput{TopicArn: aws.String("x"), Message: aws.String("m")}, "InvalidParameter: Invalid parameter: TopicArn Reason"},
		"subject":            {client.PublishInput{TopicArn: topic, Message: aws.String("m"), Subject: aws.String("a\nb")}, "Invalid parameter: Subject"},
		"structure":          {client.PublishInput{TopicArn: topic, Message: aws.String("m"), MessageStructure: aws.String("json")}, "failed to parse"},
		"no default":         {client.PublishInput{TopicArn: topic, Message: aws.String("{}"), MessageStructure: aws.String("json")}, "No default entry"},
		"type":               {client.PublishInput{TopicArn: topic, Message: aws.String("m"), MessageAttributes: with("Text", "x")}, "ParameterValueInvalid: The message attribute 'n' has an invalid message attribute type"},
		"value":              {client.PublishInput{TopicArn: topic, Message: aws.String("m"), MessageAttributes: with("String", "")}, "ParameterValueInvalid: The message attribute 'n' must contain non-empty"},
		"number":             {client.PublishInput{TopicArn: topic, Message: aws.String("m"), MessageAttributes: with("Number", "x")}, "Could not cast"},
		"dedup, not FIFO":    {client.PublishInput{TopicArn: topic, Message: aws.String("m"), MessageDeduplicationId: aws.String("d")}, "not valid for this topic type"},
		"FIFO without group": {client.PublishInput{TopicArn: ordered, Message: aws.String("m"), MessageDeduplicationId: aws.String("d")}, "MessageGroupId parameter is required"},
		"FIFO without dedup": {client.PublishInput{TopicArn: ordered, Message: aws.String("m"), MessageGroupId: aws.String("g")}, "ContentBasedDeduplication enabled or MessageDeduplicationId"},
		"text message":       {client.PublishInput{PhoneNumber: aws.String("+1"), Message: aws.String("m")}, "PhoneNumber"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Publish(t.Context(), &c.input)
			if got := refusal(err); !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func entries(n int, message string) []types.PublishBatchRequestEntry {
	var all []types.PublishBatchRequestEntry
	for i := range n {
		all = append(all, types.PublishBatchRequestEntry{Id: aws.String(fmt.Sprint(i)), Message: aws.String(message)})
	}
	return all
}

func TestBatches(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic := a.topic("recipes", nil)
	q := a.queue("q")
	a.subscribed(topic, "q", raw)
	double, bad := entries(2, "m"), entries(1, "m")
	double[1].Id, bad[0].Id = double[0].Id, aws.String("a b")
	for want, batch := range map[string][]types.PublishBatchRequestEntry{
		"EmptyBatchRequest": {}, "TooManyEntriesInBatchRequest": entries(11, "m"), "BatchEntryIdsNotDistinct": double, "InvalidBatchEntryId": bad,
		"BatchRequestTooLong": entries(10, strings.Repeat("x", 27000)),
	} {
		_, err := a.PublishBatch(t.Context(), &client.PublishBatchInput{TopicArn: topic, PublishBatchRequestEntries: batch})
		a.refuses(err, want+": ")
	}
	mixed := entries(3, "m")
	mixed[1].Message = aws.String("")
	out, err := a.PublishBatch(t.Context(), &client.PublishBatchInput{TopicArn: topic, PublishBatchRequestEntries: mixed})
	a.must(err)
	if len(out.Successful) != 2 || *out.Successful[1].Id != "2" || len(out.Failed) != 1 || *out.Failed[0].Id != "1" || *out.Failed[0].Code != "InvalidParameter" || !out.Failed[0].SenderFault {
		t.Errorf("%+v", out)
	}
	if got := a.bodies(q); got != "m m" {
		t.Error(got)
	}
	_, err = a.SetTopicAttributes(t.Context(), &client.SetTopicAttributesInput{TopicArn: topic, AttributeName: aws.String("MaximumMessageSize"), AttributeValue: aws.String("1048576")})
	a.must(err)
	_, err = a.PublishBatch(t.Context(), &client.PublishBatchInput{TopicArn: topic, PublishBatchRequestEntries: entries(10, strings.Repeat("%", 100<<10))})
	a.must(err)
	if got := a.got(q); len(got) != 10 {
		t.Errorf("%d large messages", len(got))
	}
}

// What a queue refuses, or what has no queue, goes to the subscription's dead-letter
// queue, or nowhere.
func TestDeadLetters(t *testing.T) {
	a := newAccount(t, localaws.Config{})
	topic := a.topic("recipes", nil)
	letters, q := a.queue("letters"), a.queue("q")
	redrive := map[string]string{"RawMessageDelivery": "true", "RedrivePolicy": `{"deadLetterTargetArn":"` + arn("letters") + `"}`}
	a.subscribed(topic, "gone", redrive)
	a.subscribed(topic, "gone-too", raw)
	a.subscribed(topic, "q", redrive)
	_, err := a.Publish(t.Context(), &client.PublishInput{TopicArn: topic, Message: aws.String("m")})
	a.must(err)
	if l, d := a.bodies(letters), a.bodies(q); l != "m" || d != "m" {
		t.Errorf("%q %q", l, d)
	}
	many := map[string]types.MessageAttributeValue{} // more than SQS takes
	for i := range 11 {
		many[fmt.Sprintf("a%d", i)] = text("x")
	}
	_, err = a.Publish(t.Context(), &client.PublishInput{TopicArn: topic, Message: aws.String("m2"), MessageAttributes: many})
	a.must(err)
	if l, d := a.bodies(letters), a.bodies(q); l != "" || d != "" {
		t.Errorf("a raw message with 11 attributes: %q %q", l, d)
	}
}
