package ses_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/internal/localaws"
)

// account is SES behind the client of the SDK.
type account struct {
	testing.TB
	*sesv2.Client
	url    string
	config aws.Config
}

func newAccount(t testing.TB, dir string) account {
	t.Helper()
	endpoint, err := localaws.New(localaws.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(endpoint)
	t.Cleanup(func() {
		server.Close()
		if err := endpoint.Close(); err != nil {
			t.Error(err)
		}
	})
	config := aws.Config{BaseEndpoint: &server.URL, Region: "us-east-1", RetryMaxAttempts: 1, RetryMode: aws.RetryModeStandard,
		Credentials: credentials.NewStaticCredentialsProvider("test", "test", "")}
	a := account{t, sesv2.NewFromConfig(config), server.URL, config}
	_, err = a.CreateEmailIdentity(t.Context(), &sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("example.com")})
	if code(err) != "AlreadyExistsException" {
		a.must(err)
	}
	return a
}

func (a account) must(err error) {
	a.Helper()
	if err != nil {
		a.Fatal(err)
	}
}

func code(err error) string {
	var e smithy.APIError
	if errors.As(err, &e) {
		return e.ErrorCode()
	}
	return fmt.Sprint(err)
}

func to(addresses ...string) *types.Destination { return &types.Destination{ToAddresses: addresses} }

func simple(subject, text, html string) *types.EmailContent {
	return &types.EmailContent{Simple: &types.Message{Subject: &types.Content{Data: &subject},
		Body: &types.Body{Text: &types.Content{Data: &text}, Html: &types.Content{Data: &html}}}}
}

type shown struct {
	ID, From, Subject, Text, HTML, Raw, Unreadable, Template string
	To                                                       []string
	RenderingFailure                                         string `json:"rendering_failure"`
	Outcomes                                                 []struct{ Address, Outcome string }
	Headers                                                  []struct{ Name, Value string }
	Attachments                                              []struct {
		Name, Type string
		Bytes      int
	}
}

func (a account) fetch(path string, into any) {
	a.Helper()
	answer, err := http.Get(a.url + path)
	a.must(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	a.must(err)
	if err := json.Unmarshal(body, into); err != nil || answer.StatusCode != http.StatusOK {
		a.Fatalf("%s: %d %s: %v", path, answer.StatusCode, body, err)
	}
}

// mail fetches one mail as it is shown.
func (a account) mail(id *string) (m shown) {
	a.Helper()
	a.fetch("/_nightshift/mail/"+*id, &m)
	return m
}

func (m shown) header(name string) string {
	for _, h := range m.Headers {
		if h.Name == name {
			return h.Value
		}
	}
	return ""
}

func (a account) send(in *sesv2.SendEmailInput) shown {
	a.Helper()
	if in.FromEmailAddress == nil {
		in.FromEmailAddress = aws.String("Crumb \u00e9 <crumb@mail.example.com>")
	}
	out, err := a.SendEmail(a.Context(), in)
	a.must(err)
	return a.mail(out.MessageId)
}

func TestSimple(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	in := &sesv2.SendEmailInput{Destination: to("b@example.org"), Content: simple("Gr\u00fc\u00dfe", "hi \u00e9\nthere", "<p>hi</p>"), ReplyToAddresses: []string{"r@example.com"}}
	in.Content.Simple.Headers = []types.MessageHeader{{Name: aws.String("List-Unsubscribe"), Value: aws.String("<https://example.com/u>")}}
	in.Content.Simple.Attachments = []types.Attachment{{FileName: aws.String("a \u00e9.pdf"), RawContent: []byte(strings.Repeat("pdf", 100)), ContentType: aws.String("application/pdf")}}
	m := a.send(in)
	if m.Subject != "Gr\u00fc\u00dfe" || m.Text != "hi \u00e9\r\nthere" && m.Text != "hi \u00e9\nthere" || m.HTML != "<p>hi</p>" || m.Unreadable != "" {
		t.Errorf("%+v", m)
	}
	if m.header("Subject") != "Gr\u00fc\u00dfe" || m.header("To") != "b@example.org" || m.header("List-Unsubscribe") != "<https://example.com/u>" || m.header("Reply-To") != "r@example.com" || m.header("From") != "Crumb \u00e9 <crumb@mail.example.com>" {
		t.Errorf("%+v", m.Headers)
	}
	if len(m.Attachments) != 1 || m.Attachments[0].Name != "a \u00e9.pdf" || m.Attachments[0].Bytes != 300 {
		t.Errorf("%+v", m.Attachments)
	}
	var list []shown
	a.fetch("/_nightshift/mail?to=B@example.org", &list)
	if len(list) != 1 || list[0].ID != m.ID {
		t.Errorf("%+v", list)
	}
	got, err := a.GetAccount(t.Context(), nil)
	if err != nil || got.SendQuota.SentLast24Hours != 1 || !got.ProductionAccessEnabled {
		t.Errorf("%+v %v", got, err)
	}
	r, _ := http.NewRequest(http.MethodGet, a.url+"/_nightshift/mail", nil)
	r.Header.Set("Accept", "text/html")
	answer, err := http.DefaultClient.Do(r)
	a.must(err)
	defer answer.Body.Close()
	if page, err := io.ReadAll(answer.Body); err != nil || !strings.Contains(string(page), "<!doctype html>") {
		t.Errorf("%s %v", page, err)
	}
}

func TestRaw(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	source := "From: Crumb <a@example.com>\r\nTo: b@example.org, C <c@example.org>\r\nBcc: d@example.org\r\nSubject: =?utf-8?q?x=C3=A9?=\r\n\r\nhello"
	m := a.send(&sesv2.SendEmailInput{FromEmailAddress: aws.String("a@example.com"), Content: &types.EmailContent{Raw: &types.RawMessage{Data: []byte(source)}}})
	if m.Subject != "x\u00e9" || m.Text != "hello" || len(m.Outcomes) != 3 || m.Raw != source {
		t.Errorf("%+v", m)
	}
}

func TestRefusedMail(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	from, ok := aws.String("a@example.com"), simple("s", "t", "h")
	var many []string
	for i := range 51 {
		many = append(many, fmt.Sprintf("a%d@example.org", i))
	}
	injected := simple("s", "t", "h")
	injected.Simple.Headers = []types.MessageHeader{{Name: aws.String("X"), Value: aws.String("a\r\nBcc: x@example.org")}}
	for name, c := range map[string]struct {
		in   sesv2.SendEmailInput
		want string
	}{
		"not verified":         {sesv2.SendEmailInput{FromEmailAddress: aws.String("a@elsewhere.example"), Destination: to("b@example.org"), Content: ok}, "MessageRejected"},
		"nobody":               {sesv2.SendEmailInput{FromEmailAddress: from, Content: ok}, "BadRequestException"},
		"too many":             {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to(many...), Content: ok}, "BadRequestException"},
		"no domain":            {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b"), Content: ok}, "BadRequestException"},
		"not ASCII":            {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("\u00e9@example.org"), Content: ok}, "BadRequestException"},
		"line break":           {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b@example.org\r\nX: y"), Content: ok}, "BadRequestException"},
		"line break in header": {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b@example.org"), Content: injected}, "BadRequestException"},
		"no content":           {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b@example.org"), Content: &types.EmailContent{}}, "BadRequestException"},
		"configuration set":    {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b@example.org"), Content: ok, ConfigurationSetName: aws.String("none")}, "NotFoundException"},
		"template":             {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b@example.org"), Content: &types.EmailContent{Template: &types.Template{TemplateName: aws.String("none")}}}, "NotFoundException"},
		"list":                 {sesv2.SendEmailInput{FromEmailAddress: from, Destination: to("b@example.org"), Content: ok, ListManagementOptions: &types.ListManagementOptions{ContactListName: aws.String("none")}}, "NotFoundException"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.SendEmail(t.Context(), &c.in); code(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
		})
	}
	var list []shown
	if a.fetch("/_nightshift/mail", &list); len(list) != 0 {
		t.Errorf("kept %+v", list)
	}
}

func TestOutcomes(t *testing.T) {
	a := newAccount(t, localaws.InMemory)
	ctx := t.Context()
	_, err := a.PutSuppressedDestination(ctx, &sesv2.PutSuppressedDestinationInput{EmailAddress: aws.String("Known@example.org"), Reason: types.SuppressionListReasonComplaint})
	a.must(err)
	got, err := a.GetSuppressedDestination(ctx, &sesv2.GetSuppressedDestinationInput{EmailAddress: aws.String("known@example.org")})
	if err != nil || got.SuppressedDestination.Reason != types.SuppressionListReasonComplaint || got.SuppressedDestination.LastUpdateTime.IsZero() {
		t.Errorf("%+v %v", got, err)
	}
	for range 2 { // the second time, one bounce is on the list
		for address, want := range map[string]string{
			"success@simulator.amazonses.com": "delivered", "bounce+x@simulator.amazonses.com": "bounced", "complaint@simulator.amazonses.com": "complained",
			"suppressionlist@simulator.amazonses.com": "suppressed", "ooto@simulator.amazonses.com": "delivered", "KNOWN@example.org": "suppressed", "b@example.org": "delivered",
		} {
			if m := a.send(&sesv2.SendEmailInput{Destination: to(address), Content: simple("s", "t", "h")}); m.Outcomes[0].Outcome != want {
				t.Errorf("%s: %+v", address, m.Outcomes)
			}
		}
	}
	for _, want := range []string{"bounced", "suppressed"} {
		if m := a.send(&sesv2.SendEmailInput{Destination: to("x@gone.invalid"), Content: simple("s", "t", "h")}); m.Outcomes[0].Outcome != want {
			t.Errorf("%+v, want %s", m.Outcomes, want)
		}
	}
	listed, err := a.ListSuppressedDestinations(ctx, nil)
	if err != nil || len(listed.SuppressedDestinationSummaries) != 2 {
		t.Errorf("%+v %v", listed, err)
	}
	_, err = a.DeleteSuppressedDestination(ctx, &sesv2.DeleteSuppressedDestinationInput{EmailAddress: aws.String("x@gone.invalid")})
	a.must(err)
	_, err = a.DeleteSuppressedDestination(ctx, &sesv2.DeleteSuppressedDestinationInput{EmailAddress: aws.String("x@gone.invalid")})
	if code(err) != "NotFoundException" {
		t.Error(err)
	}
}

func TestIdentitiesAndSets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	t.Run("before", func(t *testing.T) {
		a := newAccount(t, dir)
		ctx := t.Context()
		made, err := a.CreateEmailIdentity(ctx, &sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("one@elsewhere.example")})
		if err != nil || !made.VerifiedForSendingStatus || made.IdentityType != types.IdentityTypeEmailAddress {
			t.Errorf("%+v %v", made, err)
		}
		_, err = a.CreateConfigurationSet(ctx, &sesv2.CreateConfigurationSetInput{ConfigurationSetName: aws.String("set")})
		a.must(err)
		_, err = a.CreateEmailIdentity(ctx, &sesv2.CreateEmailIdentityInput{EmailIdentity: aws.String("nonsense")})
		if code(err) != "BadRequestException" {
			t.Error(err)
		}
	})
	t.Run("after a restart", func(t *testing.T) {
		a := newAccount(t, dir)
		ctx := t.Context()
		a.send(&sesv2.SendEmailInput{FromEmailAddress: aws.String("one@elsewhere.example"), Destination: to("b@example.org"), Content: simple("s", "t", "h"), ConfigurationSetName: aws.String("set")})
		listed, err := a.ListEmailIdentities(ctx, nil)
		if err != nil || len(listed.EmailIdentities) != 2 {
			t.Errorf("%+v %v", listed, err)
		}
		_, err = a.DeleteEmailIdentity(ctx, &sesv2.DeleteEmailIdentityInput{EmailIdentity: aws.String("one@elsewhere.example")})
		a.must(err)
		_, err = a.GetEmailIdentity(ctx, &sesv2.GetEmailIdentityInput{EmailIdentity: aws.String("one@elsewhere.example")})
		if code(err) != "NotFoundException" {
			t.Error(err)
		}
	})
}
