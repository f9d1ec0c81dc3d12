package samtemplate

import (
	"encoding/json"
	"reflect"
	"strconv"
)

// A Topic is an AWS::SNS::Topic.
type Topic struct {
	TopicName, DisplayName    string
	FifoTopic                 bool
	ContentBasedDeduplication bool
	FifoThroughputScope       string
	MaximumMessageSize        *int
	// Subscription are subscriptions without settings.
	Subscription []struct{ Endpoint, Protocol string }
}

// A Subscription is an AWS::SNS::Subscription.
type Subscription struct {
	TopicArn, Protocol, Endpoint string
	RawMessageDelivery           bool
	FilterPolicy                 JSON
	FilterPolicyScope            string
	RedrivePolicy                JSON
}

// JSON is a property that is any document, as text, references resolved; "" where it
// is not given. CloudFormation takes the text itself as well.
type JSON string

var jsonType = reflect.TypeFor[JSON]()

// decodeJSON reads a document. Without a scope there is nothing to see yet.
func (d *decoder) decodeJSON(n *node, v reflect.Value) {
	if d.checkOnly {
		return
	}
	if n = d.value(n); n == nil {
		return
	}
	if n.kind == scalar && n.tag == "!!str" {
		v.SetString(d.expand(n))
		return
	}
	encoded, err := json.Marshal(d.document(n))
	if err != nil {
		d.report(n.line, "no JSON: %v", err)
	}
	v.SetString(string(encoded))
}

// document gives a node as JSON's package has it; nil for AWS::NoValue, which maps
// and lists leave out.
func (d *decoder) document(n *node) any {
	if n = d.value(n); n == nil {
		return nil
	}
	switch n.kind {
	case mapping:
		object := map[string]any{}
		for _, key := range n.keys {
			if member := d.value(n.fields[key]); member != nil {
				object[key] = d.document(member)
			}
		}
		return object
	case list:
		items := []any{}
		for _, item := range n.list {
			if item = d.value(item); item != nil {
				items = append(items, d.document(item))
			}
		}
		return items
	}
	switch n.tag {
	case "!!null":
		return nil
	case "!!int", "!!float":
		if json.Valid([]byte(n.text)) {
			return json.Number(n.text)
		}
	case "!!bool":
		if truth, err := strconv.ParseBool(n.text); err == nil {
			return truth
		}
	}
	return d.expand(n)
}
