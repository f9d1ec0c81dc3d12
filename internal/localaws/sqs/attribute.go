package sqs

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"
)

// An attribute is one of a message, as the wire has it.
type attribute struct {
	DataType    string
	StringValue *string `json:",omitempty"`
	BinaryValue []byte  `json:",omitempty"`
}

const maxAttributes = 10

var (
	namePattern   = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,256}$`)
	numberPattern = regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?$`)
)

// checkAttributes holds a message's attributes to the rules of
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html.
func checkAttributes(attributes map[string]attribute) error {
	if len(attributes) > maxAttributes {
		return refuse("InvalidParameterValue", "Number of message attributes [%d] exceeds the allowed maximum [%d].", len(attributes), maxAttributes)
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		lower := strings.ToLower(name)
		if !namePattern.MatchString(name) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".") || strings.Contains(name, "..") ||
			strings.HasPrefix(lower, "aws.") || strings.HasPrefix(lower, "amazon.") {
			return refuse("InvalidParameterValue", "The message attribute name '%s' is invalid. It can contain A-Z, a-z, 0-9, underscore, hyphen and single inner periods, at most 256 characters, and not begin with AWS. or Amazon.", name)
		}
		if err := attributes[name].check(name); err != nil {
			return err
		}
	}
	return nil
}

func (a attribute) check(name string) error {
	base, _, _ := strings.Cut(a.DataType, ".")
	switch {
	case a.DataType == "":
		return refuse("InvalidParameterValue", "The message attribute '%s' must contain a non-empty message attribute type.", name)
	case base != "String" && base != "Number" && base != "Binary":
		return refuse("InvalidParameterValue", "The message attribute '%s' has an invalid message attribute type, the set of supported type prefixes is Binary, Number, and String.", name)
	case len(a.DataType) > 256:
		return refuse("InvalidParameterValue", "The type of the message attribute '%s' is longer than 256 characters.", name)
	case a.StringValue != nil && a.BinaryValue != nil:
		return refuse("InvalidParameterValue", "The message attribute '%s' has more than one value.", name)
	case base == "Binary" && len(a.BinaryValue) == 0:
		return refuse("InvalidParameterValue", "The message attribute '%s' must contain a non-empty message attribute value for message attribute type '%s'.", name, a.DataType)
	case base == "Binary":
		return nil
	case a.StringValue == nil || *a.StringValue == "":
		return refuse("InvalidParameterValue", "The message attribute '%s' must contain a non-empty message attribute value for message attribute type '%s'.", name, a.DataType)
	case base == "Number" && !validNumber(*a.StringValue):
		return refuse("InvalidParameterValue", "Can't cast the value of message attribute '%s' to a number.", name)
	}
	if r, ok := invalidRune(*a.StringValue); ok {
		return refuse("InvalidParameterValue", "Invalid binary character '#x%X' was found in the message attribute '%s' value, the set of allowed characters is %s", r, name, allowedCharacters)
	}
	return nil
}

// validNumber: up to 38 digits of precision, between -10^128 and 10^126.
func validNumber(s string) bool {
	if !numberPattern.MatchString(s) {
		return false
	}
	mantissa, _, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s, "+-")), "e")
	digits := strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "0")
	if strings.Contains(mantissa, ".") {
		digits = strings.TrimRight(digits, "0")
	}
	if len(digits) > 38 {
		return false
	}
	f, _, err := big.ParseFloat(s, 10, 256, big.ToNearestEven)
	if err != nil {
		return false
	}
	low, _, _ := big.ParseFloat("-1e128", 10, 256, big.ToNearestEven)
	high, _, _ := big.ParseFloat("1e126", 10, 256, big.ToNearestEven)
	return f.Cmp(low) >= 0 && f.Cmp(high) <= 0
}

const allowedCharacters = "[#x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF]"

// invalidRune finds a character that a message cannot hold.
func invalidRune(s string) (rune, bool) {
	for _, r := range s {
		if r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF {
			return r, true
		}
	}
	return 0, false
}

// sizeOf counts names, types and values in bytes.
func sizeOf(attributes map[string]attribute) int {
	size := 0
	for name, a := range attributes {
		size += len(name) + len(a.DataType) + len(a.BinaryValue)
		if a.StringValue != nil {
			size += len(*a.StringValue)
		}
	}
	return size
}

func digest(body string) string {
	return fmt.Sprintf("%x", md5.Sum([]byte(body)))
}

// digestAttributes is the MD5 that the SDKs compare, "" for no attributes. See
// "Calculating the MD5 message digest for message attributes" in
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html.
func digestAttributes(attributes map[string]attribute) string {
	if len(attributes) == 0 {
		return ""
	}
	sum := md5.New()
	part := func(b []byte) {
		sum.Write(binary.BigEndian.AppendUint32(nil, uint32(len(b))))
		sum.Write(b)
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		part([]byte(name))
		part([]byte(a.DataType))
		if a.StringValue != nil {
			sum.Write([]byte{1})
			part([]byte(*a.StringValue))
		} else {
			sum.Write([]byte{2})
			part(a.BinaryValue)
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}
