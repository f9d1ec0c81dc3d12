package main

import (
	netmail "net/mail"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsses"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
	"github.com/aws/jsii-runtime-go"

	"github.com/nightshift-go/nightshift/infra/constructs"
	"github.com/nightshift-go/nightshift/internal/crumb/mail"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/settings"
)

// defaultMailFrom sends nothing in AWS: nobody can verify a domain under .example.
const defaultMailFrom = "Crumb <crumb@crumb.example>"

// A mailing is what mail is sent by.
type mailing struct {
	from    string
	address string
	domain  awsses.CfnEmailIdentity
	set     awsses.CfnConfigurationSet
}

// mail is the mail of the site: who sends it, and a queue with workers of its own for
// what somebody is waiting for. The newsletter has others, so that neither waits for
// the other.
func (c *crumb) mail() {
	c.mails = c.newMailing()

	urgent := c.sender("urgent-mail")
	c.mayUse(&urgent, "dynamodb:GetItem", "dynamodb:PutItem")
	weekly := c.sender("newsletter")
	weekly.Environment[settings.Secret] = constructs.SecretReference(c.secret)
	c.mayUse(&weekly, "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem")
	c.linked = append(c.linked, c.worker(tasks.UrgentMail, urgent).Function, c.worker(tasks.Newsletter, weekly).Function)

	c.bounces()
}

// bounces brings what SES tells of mails that came back, and of complaints, to the
// function that ends subscriptions.
func (c *crumb) bounces() {
	function := c.function("bounces", 0)
	function.Environment = map[string]*string{settings.Table: c.table.TableName()}
	c.mayUse(&function, "dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:UpdateItem")
	// SES can't use the key that AWS manages for SNS, so the topic has none; an
	// event names a reader by id, and an address.
	topic := awssns.NewTopic(c.stack, jsii.String("MailEvents"), &awssns.TopicProps{EnforceSSL: jsii.Bool(true)})
	// https://docs.aws.amazon.com/ses/latest/dg/event-publishing-add-event-destination-sns.html
	permission := topic.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Actions:    jsii.Strings("sns:Publish"),
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String("ses.amazonaws.com"), nil)},
		Resources:  &[]*string{topic.TopicArn()},
		Conditions: &map[string]any{"StringEquals": map[string]any{
			"AWS:SourceAccount": c.stack.Account(), "AWS:SourceArn": c.ses("configuration-set/", c.mails.set.Ref()),
		}},
	})).PolicyDependable
	destination := awsses.NewCfnConfigurationSetEventDestination(c.stack, jsii.String("MailEventsDestination"), &awsses.CfnConfigurationSetEventDestinationProps{
		ConfigurationSetName: c.mails.set.Ref(),
		EventDestination: &awsses.CfnConfigurationSetEventDestination_EventDestinationProperty{
			Enabled:            jsii.Bool(true),
			MatchingEventTypes: jsii.Strings("bounce", "complaint"),
			SnsDestination:     &awsses.CfnConfigurationSetEventDestination_SnsDestinationProperty{TopicArn: topic.TopicArn()},
		},
	})
	destination.Node().AddDependency(permission)
	constructs.NewMessageQueue(c.stack, "Bounces", constructs.MessageQueueProps{Function: function}).SubscribeTo(topic)
}

// newMailing makes the identity of the sender's domain and the configuration set of
// all mails. Bounces and complaints go on the account's suppression list as well.
func (c *crumb) newMailing() mailing {
	m := mailing{from: c.options.MailFrom}
	if m.from == "" {
		m.from = defaultMailFrom
	}
	parsed, err := netmail.ParseAddress(m.from)
	if err != nil {
		panic(constructs.Mistake{Construct: "mail-from", Problem: "it is " + m.from + ": an address, with a name if any"})
	}
	m.address = parsed.Address
	_, domain, _ := strings.Cut(m.address, "@")
	m.domain = awsses.NewCfnEmailIdentity(c.stack, jsii.String("MailDomain"), &awsses.CfnEmailIdentityProps{
		EmailIdentity: jsii.String(domain),
	})
	m.set = awsses.NewCfnConfigurationSet(c.stack, jsii.String("Mails"), &awsses.CfnConfigurationSetProps{
		DeliveryOptions:    &awsses.CfnConfigurationSet_DeliveryOptionsProperty{TlsPolicy: jsii.String("REQUIRE")},
		ReputationOptions:  &awsses.CfnConfigurationSet_ReputationOptionsProperty{ReputationMetricsEnabled: jsii.Bool(true)},
		SuppressionOptions: &awsses.CfnConfigurationSet_SuppressionOptionsProperty{SuppressedReasons: jsii.Strings("BOUNCE", "COMPLAINT")},
	})
	return m
}

// sender is a function that sends mail: from this address, and by this
// configuration set, only.
func (c *crumb) sender(name string) constructs.FunctionProps {
	function := c.function(name, 0)
	function.Environment = map[string]*string{mail.From: jsii.String(c.mails.from), mail.Set: c.mails.set.Ref()}
	may := constructs.Allow(c.ses("identity/", c.mails.domain.Ref()), "ses:SendEmail")
	may.AddCondition(jsii.String("StringEquals"), map[string]string{"ses:FromAddress": c.mails.address})
	function.Policy = []awsiam.PolicyStatement{may, constructs.Allow(c.ses("configuration-set/", c.mails.set.Ref()), "ses:SendEmail")}
	return function
}

// ses gives the ARN of something of SES's.
// https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsimpleemailservicev2.html
func (c *crumb) ses(kind string, name *string) *string {
	return jsii.String("arn:" + *c.stack.Partition() + ":ses:" + *c.stack.Region() + ":" + *c.stack.Account() + ":" + kind + *name)
}

// linkMails tells the functions that write mails where the site is.
func (c *crumb) linkMails(api constructs.Api) {
	url := api.HttpApi.ApiEndpoint()
	if c.options.URL != "" {
		url = jsii.String(c.options.URL)
	}
	for _, function := range c.linked {
		function.AddEnvironment(jsii.String(mail.URL), url, nil)
	}
}
