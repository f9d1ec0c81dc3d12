package ses

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"net/textproto"
	"strings"
)

// A file is an attachment; its content is in the source.
type file struct {
	Name  string `json:"name"`
	Type  string `json:"type"`
	Bytes int    `json:"bytes"`
}

// maxNesting bounds how deep multiparts are in one another.
const maxNesting = 10

// open takes a message apart.
func (s *shownMail) open(source []byte) error {
	m, err := netmail.ReadMessage(bytes.NewReader(source))
	if err != nil {
		return fmt.Errorf("the message: %w", err)
	}
	head, _, _ := bytes.Cut(bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
	for _, line := range strings.Split(string(head), "\n") {
		if folded := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); folded && len(s.Headers) > 0 {
			s.Headers[len(s.Headers)-1].Value += " " + decodeHeader(strings.TrimSpace(line))
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		s.Headers = append(s.Headers, header{name, decodeHeader(strings.TrimSpace(value))})
	}
	return s.part(textproto.MIMEHeader(m.Header), m.Body, 0)
}

// part reads one part: the first text and the first HTML are the mail's, all else is
// attached.
func (s *shownMail) part(h textproto.MIMEHeader, body io.Reader, depth int) error {
	kind, parameters, err := mime.ParseMediaType(cmp.Or(h.Get("Content-Type"), "text/plain"))
	if err != nil {
		return fmt.Errorf("a part's type: %w", err)
	}
	if strings.HasPrefix(kind, "multipart/") {
		return s.multipart(multipart.NewReader(body, parameters["boundary"]), depth)
	}
	switch strings.ToLower(h.Get("Content-Transfer-Encoding")) {
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	}
	read, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("a part of type %s: %w", kind, err)
	}
	disposition, more, _ := mime.ParseMediaType(h.Get("Content-Disposition")) // absent is usual
	switch {
	case disposition == "" && kind == "text/plain" && s.Text == "":
		s.Text = string(read)
	case disposition == "" && kind == "text/html" && s.HTML == "":
		s.HTML = string(read)
	default:
		s.Attachments = append(s.Attachments, file{cmp.Or(more["filename"], parameters["name"]), kind, len(read)})
	}
	return nil
}

func (s *shownMail) multipart(r *multipart.Reader, depth int) error {
	if depth > maxNesting {
		return errors.New("the parts are nested too deeply")
	}
	for {
		part, err := r.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the parts: %w", err)
		}
		if err := s.part(part.Header, part, depth+1); err != nil {
			return err
		}
	}
}
