package ses_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

func TestTemplates(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	ctx := t.Context()
	name := aws.String("welcome")
	content := &types.EmailTemplateContent{Subject: aws.String("Hi {{name}}"), Text: aws.String("{{#each recipes}}{{@index}}{{this.title}};{{/each}}"), Html: aws.String("<b>{{name}}</b>")}
	_, err := a.CreateEmailTemplate(ctx, &sesv2.CreateEmailTemplateInput{TemplateName: name, TemplateContent: content})
	a.must(err)
	_, err = a.CreateEmailTemplate(ctx, &sesv2.CreateEmailTemplateInput{TemplateName: name, TemplateContent: content})
	if code(err) != "AlreadyExistsException" {
		t.Error(err)
	}
	_, err = a.CreateEmailTemplate(ctx, &sesv2.CreateEmailTemplateInput{TemplateName: aws.String("bad"), TemplateContent: &types.EmailTemplateContent{Subject: aws.String("{{#if x}}")}})
	if code(err) != "BadRequestException" {
		t.Error(err)
	}
	use := func(data string) *types.EmailContent {
		return &types.EmailContent{Template: &types.Template{TemplateName: name, TemplateData: &data}}
	}
	m := a.send(&sesv2.SendEmailInput{Destination: to("b@example.org"), Content: use(`{"name":"Ada <b>","recipes":[{"title":"Soup"},{"title":"Pie"}]}`)})
	if m.Subject != "Hi Ada <b>" || m.Text != "0Soup;1Pie;" || m.HTML != "<b>Ada <b></b>" || m.Template != "welcome" {
		t.Errorf("%+v", m)
	}
	m = a.send(&sesv2.SendEmailInput{Destination: to("b@example.org"), Content: use(`{}`)})
	if !strings.Contains(m.RenderingFailure, "attribute 'name' is not present") || len(m.Outcomes) != 0 {
		t.Errorf("%+v", m)
	}
	content.Subject = aws.String("Hello {{name}}")
	_, err = a.UpdateEmailTemplate(ctx, &sesv2.UpdateEmailTemplateInput{TemplateName: name, TemplateContent: content})
	a.must(err)
	got, err := a.GetEmailTemplate(ctx, &sesv2.GetEmailTemplateInput{TemplateName: name})
	if err != nil || *got.TemplateContent.Subject != "Hello {{name}}" || *got.TemplateContent.Html != *content.Html {
		t.Errorf("%+v %v", got, err)
	}
	bulk, err := a.SendBulkEmail(ctx, &sesv2.SendBulkEmailInput{FromEmailAddress: aws.String("a@example.com"),
		DefaultContent: &types.BulkEmailContent{Template: &types.Template{TemplateName: name, TemplateData: aws.String(`{"name":"you","recipes":[]}`)}},
		BulkEmailEntries: []types.BulkEmailEntry{
			{Destination: to("b@example.org"), ReplacementEmailContent: &types.ReplacementEmailContent{ReplacementTemplate: &types.ReplacementTemplate{ReplacementTemplateData: aws.String(`{"name":"Bo"}`)}}},
			{Destination: to("nobody")}, {Destination: to("c@example.org")}}})
	a.must(err)
	r := bulk.BulkEmailEntryResults
	if len(r) != 3 || r[0].Status != types.BulkEmailStatusSuccess || r[1].Status != types.BulkEmailStatusInvalidParameter || r[1].MessageId != nil {
		t.Fatalf("%+v", r)
	}
	if b, c := a.mail(r[0].MessageId), a.mail(r[2].MessageId); b.Subject != "Hello Bo" || c.Subject != "Hello you" {
		t.Errorf("%q %q", b.Subject, c.Subject)
	}
	_, err = a.DeleteEmailTemplate(ctx, &sesv2.DeleteEmailTemplateInput{TemplateName: name})
	a.must(err)
	_, err = a.GetEmailTemplate(ctx, &sesv2.GetEmailTemplateInput{TemplateName: name})
	var missing *types.NotFoundException
	if !errors.As(err, &missing) {
		t.Error(err)
	}
}

func TestListsAndUnsubscribing(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	list := aws.String("news")
	_, err := a.CreateContactList(t.Context(), &sesv2.CreateContactListInput{ContactListName: list})
	a.must(err)
	send := func() shown {
		return a.send(&sesv2.SendEmailInput{Destination: to("b@example.org"), Content: simple("s", "bye: {{amazonSESUnsubscribeUrl}}", "h"),
			ListManagementOptions: &types.ListManagementOptions{ContactListName: list, TopicName: aws.String("weekly")}})
	}
	m := send()
	link := strings.Trim(m.header("List-Unsubscribe"), "<>")
	if m.Outcomes[0].Outcome != "delivered" || m.header("List-Unsubscribe-Post") != "List-Unsubscribe=One-Click" || m.Text != "bye: "+link {
		t.Fatalf("%+v", m)
	}
	answer, err := http.Post(link, "application/x-www-form-urlencoded", strings.NewReader("List-Unsubscribe=One-Click"))
	a.must(err)
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err)
	}
	if m := send(); m.Outcomes[0].Outcome != "unsubscribed" {
		t.Errorf("%+v", m.Outcomes)
	}
	got, err := a.GetContact(t.Context(), &sesv2.GetContactInput{ContactListName: list, EmailAddress: aws.String("b@example.org")})
	if err != nil || len(got.TopicPreferences) != 1 || got.UnsubscribeAll {
		t.Errorf("%+v %v", got, err)
	}
}
