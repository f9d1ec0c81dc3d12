package runner

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
)

const mailTemplate = `
Resources:
  Sender: {Type: AWS::SES::EmailIdentity, Properties: {EmailIdentity: crumb.example}}
  Mails: {Type: AWS::SES::ConfigurationSet}
  Readers: {Type: AWS::SES::ContactList, Properties: {ContactListName: readers}}
  Bounces: {Type: AWS::SNS::Topic}
  Events:
    Type: AWS::SES::ConfigurationSetEventDestination
    Properties:
      ConfigurationSetName: !Ref Mails
      EventDestination: {Name: bounces, Enabled: true, MatchingEventTypes: [bounce, renderingFailure], SnsDestination: {TopicARN: !Ref Bounces}}
  Welcome: {Type: AWS::SES::Template, Properties: {Template: {TemplateName: welcome, SubjectPart: "Hi {{name}}", TextPart: VERSION}}}
`

// Mail goes out as soon as the stack is up, by the template's present settings, and
// can be read beside the stack's own pages.
func TestMail(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "template.yaml")
	for _, version := range []string{"one", "two"} {
		if err := os.WriteFile(path, []byte(strings.Replace(mailTemplate, "VERSION", version, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Start(t.Context(), Config{Template: path, DataDir: filepath.Join(dir, "data"), Prebuilt: true})
		if err != nil {
			t.Fatal(err)
		}
		sent, err := s.clients.ses.SendEmail(t.Context(), &sesv2.SendEmailInput{FromEmailAddress: aws.String("a@crumb.example"), ConfigurationSetName: aws.String("Mails"),
			Destination:           &types.Destination{ToAddresses: []string{"b@example.org"}},
			ListManagementOptions: &types.ListManagementOptions{ContactListName: aws.String("readers")},
			Content:               &types.EmailContent{Template: &types.Template{TemplateName: aws.String("welcome"), TemplateData: aws.String(`{"name":"Ada"}`)}}})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Get(s.HTTPURL() + "/_nightshift/mail/" + *sent.MessageId)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), `"subject":"Hi Ada"`) || !strings.Contains(string(body), `"text":"`+version+`"`) {
			t.Errorf("%s %s %v", answer.Status, body, err)
		}
		events, err := s.clients.ses.GetConfigurationSetEventDestinations(t.Context(), &sesv2.GetConfigurationSetEventDestinationsInput{ConfigurationSetName: aws.String("Mails")})
		if err != nil || len(events.EventDestinations) != 1 || !slices.Equal(events.EventDestinations[0].MatchingEventTypes, []types.EventType{types.EventTypeBounce, types.EventTypeRenderingFailure}) {
			t.Errorf("%+v %v", events, err)
		}
		if err := answer.Body.Close(); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
