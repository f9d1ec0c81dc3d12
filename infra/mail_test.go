package main

import (
	"strings"
	"testing"
)

// Who sends mail may do so from one address, by one configuration set, and nothing
// else of SES.
const (
	sendFrom = `ses:SendEmail arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/<MailDomain> if {"StringEquals":{"ses:FromAddress":"crumb@crumb.example"}}`
	sendBy   = "ses:SendEmail arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:configuration-set/<Mails>"
)

// What they are told.
const (
	mailFrom = "CRUMB_MAIL_FROM=Crumb <crumb@crumb.example>"
	mailSet  = "CRUMB_MAIL_SET=<Mails>"
	mailURL  = "CRUMB_URL=<Api.ApiEndpoint>"
)

func TestMailAndItsEvents(t *testing.T) {
	all := resources(t)
	for id, wanted := range map[string]map[string]string{
		"MailDomain": {"EmailIdentity": "crumb.example"},
		"Mails":      {"DeliveryOptions.TlsPolicy": "REQUIRE", "SuppressionOptions.SuppressedReasons": "BOUNCE, COMPLAINT"},
		"MailEventsDestination": {
			"ConfigurationSetName":                     "<Mails>",
			"EventDestination.MatchingEventTypes":      "bounce, complaint",
			"EventDestination.SnsDestination.TopicARN": "<MailEvents>",
		},
		"BouncesSubscription": {"TopicArn": "<MailEvents>", "Endpoint": "<BouncesQueue.Arn>", "RawMessageDelivery": "true"},
		"BouncesQueue":        {"RedrivePolicy.deadLetterTargetArn": "<BouncesDeadLetterQueue.Arn>", "RedrivePolicy.maxReceiveCount": "10"},
		"UrgentMailMapping":   {"ScalingConfig.MaximumConcurrency": "4", "BatchSize": "1", "EventSourceArn": "<UrgentMailQueue.Arn>"},
		"NewsletterMapping":   {"ScalingConfig.MaximumConcurrency": "2", "BatchSize": "2", "EventSourceArn": "<NewsletterQueue.Arn>"},
		"SchedulesNewsletterSchedule": {
			"ScheduleExpression": "cron(0 9 ? * MON *)", "ScheduleExpressionTimezone": "Europe/Berlin", "Target.Arn": "<SchedulesFunction.Arn>",
		},
	} {
		if _, there := all[id]; !there {
			t.Errorf("there is no %s", id)
			continue
		}
		want(t, id, all[id].Properties, wanted)
	}
	policy := text(all["MailEventsPolicy"].Properties["PolicyDocument"])
	for _, part := range []string{`"ses.amazonaws.com"`, `"AWS:SourceAccount"`, `"AWS:SourceArn"`} {
		if !strings.Contains(policy, part) {
			t.Errorf("the topic of mails' events lets in others than this set of this account: it lacks %s in %s", part, policy)
		}
	}
}
