package ses

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	netmail "net/mail"
	"net/textproto"
	"strings"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

// Limits of one mail. https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const (
	maxRecipients = 50
	maxMail       = 40 << 20
)

type destination struct{ ToAddresses, CcAddresses, BccAddresses []string }

func (d destination) all() []string {
	return append(append(append([]string{}, d.ToAddresses...), d.CcAddresses...), d.BccAddresses...)
}

// text is a part with a character set, which plays no role: JSON is Unicode.
type text struct{ Data, Charset string }

type header struct{ Name, Value string }

type attachment struct {
	FileName                                                                   string
	RawContent                                                                 []byte
	ContentDescription, ContentDisposition, ContentID, ContentTransferEncoding string
	ContentType                                                                string
}

type listOptions struct{ ContactListName, TopicName string }

// common is what both ways of sending have.
type common struct {
	FromEmailAddress, FromEmailAddressIdentityArn                             string
	FeedbackForwardingEmailAddress, FeedbackForwardingEmailAddressIdentityArn string
	ReplyToAddresses                                                          []string
	ConfigurationSetName                                                      string
}

type templateUse struct {
	TemplateName    string
	TemplateContent *content
	TemplateData    string
	Headers         []header
	Attachments     []attachment
}

type sendInput struct {
	common
	Destination *destination
	Content     struct {
		Simple *struct {
			Subject     *text
			Body        *struct{ Text, Html *text }
			Headers     []header
			Attachments []attachment
		}
		Raw      *struct{ Data []byte }
		Template *templateUse
	}
	EmailTags             []header
	ListManagementOptions *listOptions
}

// sendEmail takes one mail.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
func (db *DB) sendEmail(c call) (any, error) {
	var in sendInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	m, p, err := db.read(&in)
	if err != nil {
		return nil, err
	}
	if err := db.allowed(in.common, in.ListManagementOptions, m); err != nil {
		return nil, err
	}
	if err := db.settle(c, m, p, in.ListManagementOptions); err != nil {
		return nil, err
	}
	return map[string]string{"MessageId": m.ID}, db.keep([]*mail{m})
}

// read makes a mail and its parts of a request, with exactly one kind of content.
func (db *DB) read(in *sendInput) (*mail, parts, error) {
	m := db.newMail(in.common, in.Destination, in.EmailTags)
	content := in.Content
	kinds := 0
	for _, there := range []bool{content.Simple != nil, content.Raw != nil, content.Template != nil} {
		if there {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return nil, parts{}, badRequest("Content must have exactly one of Simple, Raw and Template.")
	case content.Raw != nil:
		p := parts{raw: content.Raw.Data}
		return m, p, m.readRaw(p.raw, in.Destination == nil)
	case content.Template != nil:
		p, err := db.readTemplate(m, *content.Template, "")
		return m, p, err
	}
	s := content.Simple
	if s.Subject == nil || s.Body == nil || s.Body.Text == nil && s.Body.Html == nil {
		return nil, parts{}, badRequest("A simple message needs a subject, and a body with text or HTML.")
	}
	p := parts{headers: s.Headers, attachments: s.Attachments}
	m.Subject = s.Subject.Data
	if s.Body.Text != nil {
		p.text = s.Body.Text.Data
	}
	if s.Body.Html != nil {
		p.html = s.Body.Html.Data
	}
	return m, p, p.check(m)
}

func (db *DB) newMail(c common, d *destination, tags []header) *mail {
	m := &mail{ID: newID(), At: db.cfg.Now().UnixMilli(), From: c.FromEmailAddress, ReplyTo: c.ReplyToAddresses, ConfigurationSet: c.ConfigurationSetName, region: db.cfg.Region}
	if d != nil {
		m.To, m.Cc, m.Bcc = d.ToAddresses, d.CcAddresses, d.BccAddresses
	}
	for _, tag := range tags {
		if m.Tags == nil {
			m.Tags = map[string]string{}
		}
		m.Tags[tag.Name] = tag.Value
	}
	return m
}

// readTemplate fills a template in. Data that lack something fail the mail later, not
// the call: SES tells of it by an event.
func (db *DB) readTemplate(m *mail, use templateUse, replacement string) (parts, error) {
	if (use.TemplateName == "") == (use.TemplateContent == nil) {
		return parts{}, badRequest("A template message needs either TemplateName or TemplateContent.")
	}
	var source content
	var err error
	if m.Template = use.TemplateName; use.TemplateContent != nil {
		source, err = *use.TemplateContent, use.TemplateContent.check()
	} else {
		source, err = db.template(use.TemplateName)
	}
	if err != nil {
		return parts{}, err
	}
	data, err := readData(use.TemplateData, replacement)
	if err != nil {
		return parts{}, err
	}
	data["amazonSESUnsubscribeUrl"] = unsubscribePlaceholder
	filled, err := source.render(data)
	if err != nil {
		m.RenderingFailure = err.Error()
	}
	m.Subject = filled.Subject
	p := parts{text: filled.Text, html: filled.HTML, headers: use.Headers, attachments: use.Attachments}
	return p, p.check(m)
}

// readRaw takes what the call doesn't say from the message's own headers.
func (m *mail) readRaw(raw []byte, addresses bool) error {
	parsed, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return badRequest("The raw message cannot be read: %v.", err)
	}
	if m.From == "" {
		m.From = parsed.Header.Get("From")
	}
	m.Subject = decodeHeader(parsed.Header.Get("Subject"))
	if !addresses {
		return nil
	}
	for name, into := range map[string]*[]string{"To": &m.To, "Cc": &m.Cc, "Bcc": &m.Bcc} {
		for _, line := range parsed.Header[textproto.CanonicalMIMEHeaderKey(name)] {
			list, err := netmail.ParseAddressList(line)
			if err != nil {
				return badRequest("The header %s: %v.", name, err)
			}
			for _, a := range list {
				*into = append(*into, a.Address)
			}
		}
	}
	return nil
}

// allowed holds a mail to the rules of its sender and its recipients.
func (db *DB) allowed(c common, l *listOptions, m *mail) error {
	from, err := parseAddress(m.From)
	if err != nil {
		return err
	}
	if c.ConfigurationSetName != "" {
		if err := db.mustHave(setsBucket, c.ConfigurationSetName, noSet); err != nil {
			return err
		}
	}
	if l != nil {
		if err := db.mustHave(listsBucket, l.ContactListName, "List with name: %s doesn't exist."); err != nil {
			return err
		}
	}
	ok, err := db.verified(from)
	if err != nil {
		return err
	}
	if !ok {
		return restjson.Errorf(http.StatusBadRequest, "MessageRejected", "Email address is not verified. The following identities failed the check in region %s: %s", strings.ToUpper(db.cfg.Region), from)
	}
	recipients := m.recipients()
	if len(recipients) == 0 || len(recipients) > maxRecipients {
		return badRequest("A mail has 1 to %d recipients, not %d.", maxRecipients, len(recipients))
	}
	if l != nil && len(recipients) != 1 {
		return badRequest("A mail to a contact list has one recipient.")
	}
	for _, address := range append(recipients, m.ReplyTo...) {
		if _, err := parseAddress(address); err != nil {
			return err
		}
	}
	return nil
}

// parseAddress gives the bare address of "Name <a@b>". SES takes ASCII only.
func parseAddress(written string) (string, error) {
	at := strings.LastIndex(written, "@")
	if at < 0 {
		return "", badRequest("Missing final '@domain'")
	}
	parsed, err := netmail.ParseAddress(written)
	if err != nil || strings.ContainsAny(written, "\r\n") {
		return "", badRequest("Illegal address: %q", written)
	}
	for _, r := range parsed.Address {
		if r >= utf8.RuneSelf {
			return "", badRequest("Local address contains control or whitespace, or the domain illegal characters: %q", written)
		}
	}
	return parsed.Address, nil
}

// newID makes a message id in AWS's form.
func newID() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails (Go 1.24 on)
	return fmt.Sprintf("01%x-%x-%x-%x-%x-%x-000000", b[:7], b[7:11], b[11:13], b[13:15], b[15:17], b[17:23])
}
