package sqs

import (
	"slices"
	"strconv"
	"strings"
)

// A delivery is a message as a consumer gets it.
type delivery struct {
	MessageID              string `json:"MessageId"`
	ReceiptHandle          string
	MD5OfBody              string
	Body                   string
	Attributes             map[string]string    `json:",omitempty"`
	MD5OfMessageAttributes string               `json:",omitempty"`
	MessageAttributes      map[string]attribute `json:",omitempty"`
}

const senderID = "AIDAAAAAAAAAAAAAAAAAA"

var systemAttributes = []string{
	"All", "SenderId", "SentTimestamp", "ApproximateReceiveCount", "ApproximateFirstReceiveTimestamp", "SequenceNumber",
	"MessageDeduplicationId", "MessageGroupId", traceHeader, "DeadLetterQueueSourceArn",
}

func knownSystemAttribute(name string) bool { return slices.Contains(systemAttributes, name) }

// systemNames joins the present parameter and its deprecated forerunner.
func (in *receiveInput) systemNames() []string {
	return slices.Concat(in.MessageSystemAttributeNames, in.AttributeNames)
}

func (in *receiveInput) delivery(q *queue, seq uint64, s state, c content) delivery {
	d := delivery{
		MessageID: s.ID, ReceiptHandle: handle{q.key, seq, s.Nonce}.String(),
		Body: c.Body, MD5OfBody: digest(c.Body),
	}
	for name, a := range c.Attributes {
		if slices.ContainsFunc(in.MessageAttributeNames, func(wanted string) bool { return attributeWanted(wanted, name) }) {
			if d.MessageAttributes == nil {
				d.MessageAttributes = map[string]attribute{}
			}
			d.MessageAttributes[name] = a
		}
	}
	d.MD5OfMessageAttributes = digestAttributes(d.MessageAttributes)
	names := in.systemNames()
	if len(names) == 0 {
		return d
	}
	all := map[string]string{
		"SenderId":                         senderID,
		"SentTimestamp":                    strconv.FormatInt(s.Sent, 10),
		"ApproximateReceiveCount":          strconv.Itoa(s.Count),
		"ApproximateFirstReceiveTimestamp": strconv.FormatInt(s.First, 10),
		"MessageGroupId":                   s.Group,
		"MessageDeduplicationId":           s.Dedup,
		traceHeader:                        c.Trace,
		"DeadLetterQueueSourceArn":         s.Source,
	}
	if q.settings.fifo {
		all["SequenceNumber"] = sequenceNumber(seq)
	}
	d.Attributes = map[string]string{}
	for name, value := range all {
		if value != "" && (slices.Contains(names, "All") || slices.Contains(names, name)) {
			d.Attributes[name] = value
		}
	}
	return d
}

// attributeWanted matches a name against "All", ".*", "prefix.*" or a name.
func attributeWanted(wanted, name string) bool {
	if wanted == "All" || wanted == ".*" {
		return true
	}
	if prefix, ok := strings.CutSuffix(wanted, ".*"); ok {
		return name == prefix || strings.HasPrefix(name, prefix+".")
	}
	return wanted == name
}
