package sns

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"time"
)

// An envelope is a message as queues get it without raw delivery.
// https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html
type envelope struct {
	Type              string
	MessageID         string `json:"MessageId"`
	SequenceNumber    string `json:",omitempty"`
	TopicARN          string `json:"TopicArn"`
	Subject           string `json:",omitempty"`
	Message           string
	Timestamp         string
	SignatureVersion  string `json:",omitempty"` // FIFO topics sign nothing
	Signature         string `json:",omitempty"`
	SigningCertURL    string `json:",omitempty"`
	UnsubscribeURL    string
	MessageAttributes map[string]envelopedAttribute `json:",omitempty"`
}

type envelopedAttribute struct{ Type, Value string }

// envelope wraps a message. Nothing here can sign as AWS does: the signature is a
// text that says so.
func (db *DB) envelope(p *pending, d delivery) string {
	m := p.Message
	host := "https://sns." + db.cfg.Region + ".amazonaws.com/"
	e := envelope{
		Type: "Notification", MessageID: m.ID, SequenceNumber: m.Sequence, TopicARN: p.Topic, Subject: m.Subject, Message: m.Body,
		Timestamp:      time.UnixMilli(m.Published).UTC().Format("2006-01-02T15:04:05.000Z"),
		UnsubscribeURL: host + "?Action=Unsubscribe&SubscriptionArn=" + d.Subscription,
	}
	if m.Sequence == "" {
		e.SignatureVersion = "1"
		e.Signature = base64.StdEncoding.EncodeToString([]byte("not signed: published on a local endpoint"))
		e.SigningCertURL = host + "SimpleNotificationService-local.pem"
	}
	for name, a := range m.Attributes {
		if e.MessageAttributes == nil {
			e.MessageAttributes = map[string]envelopedAttribute{}
		}
		value := a.StringValue
		if a.DataType == "Binary" {
			value = base64.StdEncoding.EncodeToString(a.BinaryValue)
		}
		e.MessageAttributes[name] = envelopedAttribute{a.DataType, value}
	}
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(e) // strings always encode
	return string(bytes.TrimSuffix(body.Bytes(), []byte("\n")))
}
