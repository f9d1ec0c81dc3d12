package constructs_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
)

func TestAMessageQueue(t *testing.T) {
	needNode(t)
	s := newShop(t)
	topic := awssns.NewTopic(s.stack, jsii.String("Carrier"), nil)
	constructs.NewMessageQueue(s.stack, "Parcels", constructs.MessageQueueProps{Function: function(t, "parcels")}).SubscribeTo(topic)

	all := s.synthesised(t)
	for id, parts := range map[string][]string{
		"ParcelsQueue": {`"maxReceiveCount":10`, `"VisibilityTimeout":60`, `"SqsManagedSseEnabled":true`,
			`"deadLetterTargetArn":{"Fn::GetAtt":["ParcelsDeadLetterQueue","Arn"]}`},
		"ParcelsDeadLetterQueue":           {`"MessageRetentionPeriod":1209600`},
		"ParcelsMapping":                   {`"BatchSize":10`, `"ReportBatchItemFailures"`, `"MaximumConcurrency":2`},
		"ParcelsSubscription":              {`"RawMessageDelivery":true`, `"Endpoint":{"Fn::GetAtt":["ParcelsQueue","Arn"]}`, `"deadLetterTargetArn":{"Fn::GetAtt":["ParcelsDeadLetterQueue","Arn"]}`},
		"ParcelsQueuePolicy":               {`{"ArnEquals":{"aws:SourceArn":{"Ref":"Carrier`},
		"ParcelsDeadLetterQueuePolicy":     {`{"ArnEquals":{"aws:SourceArn":{"Ref":"Carrier`},
		"ParcelsFunctionRoleDefaultPolicy": {`"sqs:ReceiveMessage"`, `"sqs:DeleteMessage"`},
		"ParcelsDeadLettersAlarm":          {`"Threshold":0`},
	} {
		text := all.text(t, id)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s: %s", id, part, text)
			}
		}
	}
}
