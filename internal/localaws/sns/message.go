package sns

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nightshift-go/nightshift/internal/runner/filter"
)

// An Attribute is a message attribute.
type Attribute struct {
	// DataType is String, String.Array, Number or Binary.
	DataType string
	// StringValue is the value of all but Binary ones.
	StringValue string `json:",omitempty"`
	// BinaryValue is the value of a Binary one.
	BinaryValue []byte `json:",omitempty"`
}

// filterable gives the value that a filter policy sees; false for a binary one.
func (a Attribute) filterable() (any, bool) {
	switch a.DataType {
	case "Binary":
		return nil, false
	case "Number":
		return json.Number(a.StringValue), true
	case "String.Array":
		if list, err := filter.Decode([]byte(a.StringValue)); err == nil {
			if list, ok := list.([]any); ok {
				return list, true
			}
		}
	}
	return a.StringValue, true
}

// A message is what a publisher gives.
type message struct {
	ID         string               `json:"id"`
	Subject    string               `json:"subject,omitempty"`
	Body       string               `json:"body"`
	Attributes map[string]Attribute `json:"attributes,omitempty"`
	Group      string               `json:"group,omitempty"`
	Dedup      string               `json:"dedup,omitempty"`
	Trace      string               `json:"trace,omitempty"`
	Sequence   string               `json:"sequence,omitempty"` // of FIFO topics
	Published  int64                `json:"published"`          // milliseconds since 1970

	size int
}

var (
	tokenPattern  = regexp.MustCompile("^[A-Za-z0-9!\"#$%&'()*+,./:;<=>?@\\[\\\\\\]^_`{|}~-]{1,128}$")
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,256}$`)
	numberPattern = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$`)
	dataTypes     = []string{"String", "String.Array", "Number", "Binary"}
)

// readMessage reads and checks a message of a topic.
// https://docs.aws.amazon.com/sns/latest/api/API_Publish.html
func readMessage(t *topic, c call) (*message, error) {
	m := &message{Subject: c.get("Subject"), Body: c.get("Message"), Group: c.get("MessageGroupId"), Dedup: c.get("MessageDeduplicationId"), Trace: c.trace}
	var err error
	if m.Attributes, err = readAttributes(c.form); err != nil {
		return nil, err
	}
	switch {
	case m.Body == "":
		return nil, invalidParameter("", "Empty message")
	case !utf8.ValidString(m.Body):
		return nil, invalidParameter("Message", "Reason: it is not UTF-8")
	case c.has("Subject") && !isSubject(m.Subject):
		return nil, invalidParameter("Subject", "")
	}
	if m.size = m.measure(); m.size > t.settings.maxSize {
		return nil, invalidParameter("Message", "too long")
	}
	switch structure := c.get("MessageStructure"); structure {
	case "":
	case "json":
		if m.Body, err = ofProtocol(m.Body); err != nil {
			return nil, err
		}
	default:
		return nil, invalidParameter("MessageStructure", "")
	}
	return m, m.checkTokens(t.settings)
}

// isSubject: up to 100 characters, no line breaks or control characters.
func isSubject(s string) bool {
	return s != "" && utf8.ValidString(s) && utf8.RuneCountInString(s) <= 100 && strings.IndexFunc(s, unicode.IsControl) < 0
}

// measure counts the body and the attributes in bytes.
func (m *message) measure() int {
	size := len(m.Body)
	for name, a := range m.Attributes {
		size += len(name) + len(a.DataType) + len(a.StringValue) + len(a.BinaryValue)
	}
	return size
}

// ofProtocol gives the text for SQS out of one for several protocols.
func ofProtocol(body string) (string, error) {
	var texts map[string]any
	if err := json.Unmarshal([]byte(body), &texts); err != nil {
		return "", invalidParameter("Message Structure", "- JSON message body failed to parse")
	}
	fallback, ok := texts["default"].(string)
	if !ok {
		return "", invalidParameter("Message Structure", "- No default entry in JSON message body")
	}
	if own, ok := texts["sqs"].(string); ok {
		return own, nil
	}
	return fallback, nil
}

func (m *message) checkTokens(s topicSettings) error {
	const form = "Reason: it can only include alphanumeric and punctuation characters. 1 to 128 in length"
	switch {
	case m.Group != "" && !tokenPattern.MatchString(m.Group):
		return invalidParameter("MessageGroupId", form)
	case m.Dedup != "" && !tokenPattern.MatchString(m.Dedup):
		return invalidParameter("MessageDeduplicationId", form)
	case !s.fifo && m.Dedup != "":
		return invalidParameter("MessageDeduplicationId", "Reason: The request includes MessageDeduplicationId parameter that is not valid for this topic type")
	case s.fifo && m.Group == "":
		return invalidParameter("", "The MessageGroupId parameter is required for FIFO topics")
	case s.fifo && m.Dedup == "" && !s.contentDedup:
		return invalidParameter("", "The topic should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly")
	}
	return nil
}

// readAttributes reads a message's attributes by
// https://docs.aws.amazon.com/sns/latest/dg/sns-message-attributes.html.
func readAttributes(f form) (map[string]Attribute, error) {
	all := map[string]Attribute{}
	for _, item := range f.members("MessageAttributes", "entry", "Name", "Value.DataType") {
		value := item.at("Value")
		name, a := item.get("Name"), Attribute{DataType: value.get("DataType"), StringValue: value.get("StringValue")}
		if value.has("BinaryValue") {
			b, err := base64.StdEncoding.DecodeString(value.get("BinaryValue"))
			if err != nil {
				return nil, badAttribute("The message attribute '%s' is no base64.", name)
			}
			a.BinaryValue = b
		}
		all[name] = a
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := all[name].check(name); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func badAttribute(format string, args ...any) *Error {
	e := invalidParameter("", format, args...)
	e.Code, e.Message = "ParameterValueInvalid", strings.TrimPrefix(e.Message, "Invalid parameter:  ")
	return e
}

func (a Attribute) check(name string) error {
	lower := strings.ToLower(name)
	switch {
	case !namePattern.MatchString(name) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") ||
		strings.HasPrefix(lower, "aws.") || strings.HasPrefix(lower, "amazon."):
		return badAttribute("The message attribute name '%s' is invalid. It can contain A-Z, a-z, 0-9, underscore, hyphen and single inner periods, at most 256 characters, and not begin with AWS. or Amazon.", name)
	case !slices.Contains(dataTypes, a.DataType):
		return badAttribute("The message attribute '%s' has an invalid message attribute type, the set of supported types is String, String.Array, Number and Binary.", name)
	case a.StringValue != "" && a.BinaryValue != nil:
		return badAttribute("The message attribute '%s' has more than one value.", name)
	case a.DataType == "Binary" && len(a.BinaryValue) == 0, a.DataType != "Binary" && a.StringValue == "":
		return badAttribute("The message attribute '%s' must contain non-empty message attribute value for message attribute type '%s'.", name, a.DataType)
	case !utf8.ValidString(a.StringValue):
		return badAttribute("The message attribute '%s' is not UTF-8.", name)
	case a.DataType == "Number" && !numberPattern.MatchString(a.StringValue):
		return badAttribute("Could not cast message attribute '%s' value to number.", name)
	}
	return nil
}
