package samtemplate

// An EmailIdentity is an AWS::SES::EmailIdentity: an address or a domain.
type EmailIdentity struct{ EmailIdentity string }

// An EmailTemplate is an AWS::SES::Template.
type EmailTemplate struct {
	Template struct{ TemplateName, SubjectPart, TextPart, HtmlPart string }
}

// A ConfigurationSet is an AWS::SES::ConfigurationSet.
type ConfigurationSet struct{ Name string }

// A ContactList is an AWS::SES::ContactList.
type ContactList struct{ ContactListName string }

// MailEvents are an AWS::SES::ConfigurationSetEventDestination.
type MailEvents struct {
	ConfigurationSetName string
	EventDestination     struct {
		Name               string
		Enabled            bool
		MatchingEventTypes []string
		SnsDestination     *struct{ TopicARN string }
	}
}
