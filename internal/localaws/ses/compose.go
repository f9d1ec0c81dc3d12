package ses

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"regexp"
	"strings"
	"time"
)

// parts are what a message is made of: its source, or texts and what goes with them.
type parts struct {
	raw         []byte
	text, html  string
	headers     []header
	attachments []attachment
}

var (
	headerNamePattern  = regexp.MustCompile(`^[!-9;-~]{1,126}$`)
	headerValuePattern = regexp.MustCompile(`^[ -~]{1,870}$`)
)

// own are the headers that SES writes itself.
var own = map[string]bool{"from": true, "to": true, "cc": true, "bcc": true, "reply-to": true, "subject": true, "date": true, "message-id": true,
	"mime-version": true, "content-type": true, "content-transfer-encoding": true, "return-path": true}

func (p parts) check(m *mail) error {
	if strings.ContainsAny(m.Subject, "\r\n") {
		return badRequest("The subject has line breaks.")
	}
	for _, h := range p.headers {
		if !headerNamePattern.MatchString(h.Name) || !headerValuePattern.MatchString(h.Value) {
			return badRequest("The header %q is not valid: printable ASCII, no line breaks.", h.Name)
		}
		if own[strings.ToLower(h.Name)] {
			return badRequest("The header %s cannot be set here.", h.Name)
		}
	}
	for _, a := range p.attachments {
		if a.FileName == "" || len(a.RawContent) == 0 {
			return badRequest("An attachment needs a FileName and content.")
		}
	}
	return nil
}

func hasHeader(all []header, name string) bool {
	for _, h := range all {
		if strings.EqualFold(h.Name, name) {
			return true
		}
	}
	return false
}

// compose writes the source of a message by RFC 5322 and 2045.
func compose(m *mail, p parts, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	write := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&out, "%s: %s\r\n", name, value)
		}
	}
	write("From", encodeAddress(m.From))
	write("To", encodeAddresses(m.To))
	write("Cc", encodeAddresses(m.Cc))
	write("Reply-To", encodeAddresses(m.ReplyTo))
	write("Subject", mime.QEncoding.Encode("utf-8", m.Subject))
	write("Date", at.UTC().Format(time.RFC1123Z))
	if m.ID != "" {
		write("Message-ID", "<"+m.ID+"@"+cmp.Or(m.region, "us-east-1")+".amazonses.com>")
	}
	write("MIME-Version", "1.0")
	for _, h := range p.headers {
		write(h.Name, h.Value)
	}
	body, kind, err := p.alternatives()
	if err == nil && len(p.attachments) > 0 {
		body, kind, err = p.mixed(body, kind)
	}
	if err != nil {
		return nil, fmt.Errorf("ses: composing: %w", err)
	}
	for _, name := range []string{"Content-Type", "Content-Transfer-Encoding"} {
		write(name, kind.Get(name))
	}
	out.WriteString("\r\n")
	out.Write(body)
	return out.Bytes(), nil
}

// alternatives gives the body of the texts, and its headers.
func (p parts) alternatives() ([]byte, textproto.MIMEHeader, error) {
	switch {
	case p.html == "":
		return encodeText("text/plain", p.text)
	case p.text == "":
		return encodeText("text/html", p.html)
	}
	return join("alternative", func(w *multipart.Writer) error {
		text, textKind, err := encodeText("text/plain", p.text)
		html, htmlKind, err2 := encodeText("text/html", p.html)
		return errors.Join(err, err2, add(w, textKind, text), add(w, htmlKind, html))
	})
}

func (p parts) mixed(body []byte, kind textproto.MIMEHeader) ([]byte, textproto.MIMEHeader, error) {
	return join("mixed", func(w *multipart.Writer) error {
		err := add(w, kind, body)
		for _, a := range p.attachments {
			disposition := strings.ToLower(cmp.Or(a.ContentDisposition, "attachment"))
			h := textproto.MIMEHeader{"Content-Type": {cmp.Or(a.ContentType, "application/octet-stream")}, "Content-Transfer-Encoding": {"base64"},
				"Content-Disposition": {mime.FormatMediaType(disposition, map[string]string{"filename": a.FileName})}}
			if a.ContentID != "" {
				h.Set("Content-Id", "<"+a.ContentID+">")
			}
			err = errors.Join(err, add(w, h, lines(base64.StdEncoding.EncodeToString(a.RawContent))))
		}
		return err
	})
}

func join(kind string, write func(*multipart.Writer) error) ([]byte, textproto.MIMEHeader, error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	err := errors.Join(write(w), w.Close())
	return out.Bytes(), textproto.MIMEHeader{"Content-Type": {"multipart/" + kind + "; boundary=" + w.Boundary()}}, err
}

func add(w *multipart.Writer, h textproto.MIMEHeader, body []byte) error {
	part, err := w.CreatePart(h)
	if err == nil {
		_, err = part.Write(body)
	}
	return err
}

func encodeText(kind, s string) ([]byte, textproto.MIMEHeader, error) {
	var out bytes.Buffer
	w := quotedprintable.NewWriter(&out)
	_, err := w.Write([]byte(s))
	err = errors.Join(err, w.Close())
	return out.Bytes(), textproto.MIMEHeader{"Content-Type": {kind + "; charset=utf-8"}, "Content-Transfer-Encoding": {"quoted-printable"}}, err
}

// lines breaks base64 at 76 letters.
func lines(s string) []byte {
	var out bytes.Buffer
	for len(s) > 76 {
		out.WriteString(s[:76] + "\r\n")
		s = s[76:]
	}
	out.WriteString(s)
	return out.Bytes()
}

func encodeAddresses(all []string) string {
	encoded := make([]string, len(all))
	for i, a := range all {
		encoded[i] = encodeAddress(a)
	}
	return strings.Join(encoded, ", ")
}

// encodeAddress writes "Name <a@b>" with its name encoded, where it needs to be.
func encodeAddress(written string) string {
	parsed, err := netmail.ParseAddress(written)
	if err != nil || parsed.Name == "" {
		return written
	}
	return parsed.String()
}

func decodeHeader(s string) string {
	decoded, err := new(mime.WordDecoder).DecodeHeader(s)
	if err != nil {
		return s
	}
	return decoded
}
