package ses

import (
	"bytes"
	"strings"
	"time"
)

// A mail is what is kept of a message beside its source.
type mail struct {
	ID               string            `json:"id"`
	At               int64             `json:"at_ms"`
	From             string            `json:"from"`
	To               []string          `json:"to"`
	Cc               []string          `json:"cc,omitempty"`
	Bcc              []string          `json:"bcc,omitempty"`
	ReplyTo          []string          `json:"reply_to,omitempty"`
	Subject          string            `json:"subject"`
	ConfigurationSet string            `json:"configuration_set,omitempty"`
	Template         string            `json:"template,omitempty"`
	Tags             map[string]string `json:"tags,omitempty"`
	// Outcomes are one for each recipient.
	Outcomes []outcome `json:"outcomes"`
	// RenderingFailure says why the template could not be filled in: nothing is
	// sent then.
	RenderingFailure string `json:"rendering_failure,omitempty"`

	source  []byte
	bounced []string // go on the suppression list
	region  string
}

// An outcome is what becomes of a mail at one address: delivered, bounced,
// complained (after delivery), suppressed, or unsubscribed.
type outcome struct {
	Address string `json:"address"`
	Outcome string `json:"outcome"`
}

func (m *mail) recipients() []string { return destination{m.To, m.Cc, m.Bcc}.all() }

// settle composes a mail and decides what becomes of it.
func (db *DB) settle(c call, m *mail, p parts, list *listOptions) error {
	if list != nil {
		p.unsubscribe(list.link(c.base, m.recipients()[0]))
	}
	var err error
	if m.source = p.raw; p.raw == nil {
		if m.source, err = compose(m, p, time.UnixMilli(m.At)); err != nil {
			return err
		}
	}
	if len(m.source) > maxMail {
		return badRequest("The message is longer than %d bytes.", maxMail)
	}
	m.Outcomes = []outcome{}
	if m.RenderingFailure != "" {
		return nil
	}
	for _, written := range m.recipients() {
		address, err := parseAddress(written)
		if err != nil {
			return err
		}
		result, err := db.outcome(address, list)
		if err != nil {
			return err
		}
		m.Outcomes = append(m.Outcomes, outcome{address, result})
		if result == "bounced" && isInvalid(address) {
			m.bounced = append(m.bounced, strings.ToLower(address))
		}
	}
	return nil
}

const simulator = "@simulator.amazonses.com"

// outcome decides what becomes of a mail at an address. The simulator's bounces don't
// go on the suppression list.
// https://docs.aws.amazon.com/ses/latest/dg/send-an-email-from-console.html#send-email-simulator
func (db *DB) outcome(address string, list *listOptions) (string, error) {
	unwanted, err := db.unwanted(list, address)
	if err != nil || unwanted {
		return "unsubscribed", err
	}
	address = strings.ToLower(address)
	onList, err := db.get(suppressedBucket, address, &suppressed{})
	if err != nil || onList {
		return "suppressed", err
	}
	if name, ok := strings.CutSuffix(address, simulator); ok {
		name, _, _ = strings.Cut(name, "+") // a label
		switch name {
		case "bounce":
			return "bounced", nil
		case "complaint":
			return "complained", nil
		case "suppressionlist":
			return "suppressed", nil
		}
	}
	if isInvalid(address) {
		return "bounced", nil
	}
	return "delivered", nil
}

// isInvalid: no domain under this one exists (RFC 2606).
func isInvalid(address string) bool { return strings.HasSuffix(strings.ToLower(address), ".invalid") }

// unsubscribe adds the headers and the link of a list.
func (p *parts) unsubscribe(link string) {
	if p.raw != nil {
		p.raw = bytes.ReplaceAll(p.raw, []byte(unsubscribePlaceholder), []byte(link))
		return
	}
	p.text = strings.ReplaceAll(p.text, unsubscribePlaceholder, link)
	p.html = strings.ReplaceAll(p.html, unsubscribePlaceholder, link)
	if !hasHeader(p.headers, "List-Unsubscribe") {
		p.headers = append(p.headers, header{"List-Unsubscribe", "<" + link + ">"}, header{"List-Unsubscribe-Post", "List-Unsubscribe=One-Click"})
	}
}
