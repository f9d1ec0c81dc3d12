package ses_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

// What becomes of mail reaches the topic of its configuration set, and so a queue.
func TestEvents(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	ctx := t.Context()
	topics, queues := sns.NewFromConfig(a.config), sqs.NewFromConfig(a.config)
	topic, err := topics.CreateTopic(ctx, &sns.CreateTopicInput{Name: aws.String("mail")})
	a.must(err)
	queue, err := queues.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("mail")})
	a.must(err)
	_, err = topics.Subscribe(ctx, &sns.SubscribeInput{TopicArn: topic.TopicArn, Protocol: aws.String("sqs"), Endpoint: aws.String("arn:aws:sqs:us-east-1:000000000000:mail"),
		Attributes: map[string]string{"RawMessageDelivery": "true"}})
	a.must(err)
	set := aws.String("set")
	_, err = a.CreateConfigurationSet(ctx, &sesv2.CreateConfigurationSetInput{ConfigurationSetName: set})
	a.must(err)
	destination := &types.EventDestinationDefinition{Enabled: true, SnsDestination: &types.SnsDestination{TopicArn: topic.TopicArn},
		MatchingEventTypes: []types.EventType{types.EventTypeBounce, types.EventTypeComplaint, types.EventTypeRenderingFailure}}
	create := func(set *string) error {
		_, err := a.CreateConfigurationSetEventDestination(ctx, &sesv2.CreateConfigurationSetEventDestinationInput{ConfigurationSetName: set, EventDestinationName: aws.String("d"), EventDestination: destination})
		return err
	}
	a.must(create(set))
	if got := code(create(set)); got != "AlreadyExistsException" {
		t.Error(got)
	}
	if got := code(create(aws.String("none"))); got != "NotFoundException" {
		t.Error(got)
	}
	send := func(content *types.EmailContent) {
		a.send(&sesv2.SendEmailInput{ConfigurationSetName: set, Content: content, EmailTags: []types.MessageTag{{Name: aws.String("issue"), Value: aws.String("7")}},
			Destination: to("bounce@simulator.amazonses.com", "complaint@simulator.amazonses.com", "success@simulator.amazonses.com", "suppressionlist@simulator.amazonses.com")})
	}
	events := func() []string {
		t.Helper()
		var all []string
		for {
			got, err := queues.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{QueueUrl: queue.QueueUrl, MaxNumberOfMessages: 10})
			a.must(err)
			if len(got.Messages) == 0 {
				slices.Sort(all)
				return all
			}
			for _, m := range got.Messages {
				var e struct {
					EventType string
					Bounce    struct{ BounceType, BounceSubType string }
					Mail      struct{ Tags map[string][]string }
				}
				if err := json.Unmarshal([]byte(*m.Body), &e); err != nil || e.Mail.Tags["issue"][0] != "7" {
					t.Errorf("%s: %v", *m.Body, err)
				}
				all = append(all, e.EventType+e.Bounce.BounceSubType)
			}
		}
	}
	send(simple("s", "t", "h"))
	if got := strings.Join(events(), " "); got != "BounceGeneral BounceOnAccountSuppressionList Complaint" {
		t.Error(got)
	}
	send(&types.EmailContent{Template: &types.Template{TemplateContent: &types.EmailTemplateContent{Subject: aws.String("{{x}}")}}})
	if got := strings.Join(events(), " "); got != "Rendering Failure" {
		t.Error(got)
	}
	destination.Enabled = false
	_, err = a.UpdateConfigurationSetEventDestination(ctx, &sesv2.UpdateConfigurationSetEventDestinationInput{ConfigurationSetName: set, EventDestinationName: aws.String("d"), EventDestination: destination})
	a.must(err)
	send(simple("s", "t", "h"))
	if got := events(); len(got) != 0 {
		t.Error(got)
	}
	listed, err := a.GetConfigurationSetEventDestinations(ctx, &sesv2.GetConfigurationSetEventDestinationsInput{ConfigurationSetName: set})
	if err != nil || len(listed.EventDestinations) != 1 || *listed.EventDestinations[0].SnsDestination.TopicArn != *topic.TopicArn {
		t.Errorf("%+v %v", listed, err)
	}
	_, err = a.DeleteConfigurationSet(ctx, &sesv2.DeleteConfigurationSetInput{ConfigurationSetName: set})
	a.must(err)
}
