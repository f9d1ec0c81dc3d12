package sqs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// maxMessage is what a message, or the messages of a batch together, may have
// in bytes, and the default of MaximumMessageSize.
const maxMessage = 1 << 20

// settings are a queue's attributes, parsed. Times are in seconds.
type settings struct {
	visibility, delay, retention, wait int
	maxSize                            int
	redrive                            *redrivePolicy
	allow                              *redriveAllowPolicy
	fifo, contentDedup, groupScope     bool
}

// ranges of the numeric attributes and their defaults, by
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html.
var ranges = map[string]struct{ low, high, fallback int }{
	"VisibilityTimeout":             {0, 43200, 30},
	"DelaySeconds":                  {0, 900, 0},
	"MessageRetentionPeriod":        {60, 1209600, 345600},
	"ReceiveMessageWaitTimeSeconds": {0, 20, 0},
	"MaximumMessageSize":            {1024, maxMessage, maxMessage},
	"KmsDataKeyReusePeriodSeconds":  {60, 86400, 300},
}

// choices of the other attributes; nil allows anything.
var choices = map[string][]string{
	"Policy":                    nil,
	"RedrivePolicy":             nil,
	"RedriveAllowPolicy":        nil,
	"KmsMasterKeyId":            nil,
	"SqsManagedSseEnabled":      {"true", "false"},
	"FifoQueue":                 {"true"},
	"ContentBasedDeduplication": {"true", "false"},
	"DeduplicationScope":        {"messageGroup", "queue"},
	"FifoThroughputLimit":       {"perQueue", "perMessageGroupId"},
}

var fifoOnly = []string{"ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"}

// parseSettings checks a queue's attributes, each by itself.
func parseSettings(attributes map[string]string) (settings, error) {
	s := settings{fifo: attributes["FifoQueue"] == "true"}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		value := attributes[name]
		allowed, known := choices[name]
		if _, numeric := ranges[name]; numeric || known && (allowed == nil || slices.Contains(allowed, value)) {
			continue
		}
		if !known {
			return s, unknownAttribute(name)
		}
		return s, invalidAttribute(name, value, "it must be one of %s.", strings.Join(allowed, ", "))
	}
	for _, name := range fifoOnly {
		if _, set := attributes[name]; set && !s.fifo {
			return s, refuse("InvalidAttributeName", "You can specify the %s only when FifoQueue is set to true.", name)
		}
	}
	numbers := map[string]int{}
	for name, r := range ranges {
		numbers[name] = r.fallback
		value, set := attributes[name]
		if !set {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < r.low || n > r.high {
			return s, invalidAttribute(name, value, "it must be between %d and %d.", r.low, r.high)
		}
		numbers[name] = n
	}
	s.visibility, s.delay, s.retention = numbers["VisibilityTimeout"], numbers["DelaySeconds"], numbers["MessageRetentionPeriod"]
	s.wait, s.maxSize = numbers["ReceiveMessageWaitTimeSeconds"], numbers["MaximumMessageSize"]
	s.contentDedup = attributes["ContentBasedDeduplication"] == "true"
	s.groupScope = attributes["DeduplicationScope"] == "messageGroup"
	if attributes["FifoThroughputLimit"] == "perMessageGroupId" && !s.groupScope {
		return s, invalidAttribute("FifoThroughputLimit", "perMessageGroupId", "DeduplicationScope must be messageGroup.")
	}
	if p := attributes["Policy"]; p != "" && !json.Valid([]byte(p)) {
		return s, invalidAttribute("Policy", p, "it is not JSON.")
	}
	return s, s.parsePolicies(attributes)
}

func unknownAttribute(name string) error {
	return refuse("InvalidAttributeName", "Unknown Attribute %s.", name)
}

// effective gives a queue's attributes with defaults.
func (s settings) effective(attributes map[string]string) map[string]string {
	all := map[string]string{}
	for name, r := range ranges {
		if name != "KmsDataKeyReusePeriodSeconds" {
			all[name] = fmt.Sprint(r.fallback)
		}
	}
	if attributes["KmsMasterKeyId"] != "" {
		all["KmsDataKeyReusePeriodSeconds"] = fmt.Sprint(ranges["KmsDataKeyReusePeriodSeconds"].fallback)
		all["SqsManagedSseEnabled"] = "false"
	} else {
		all["SqsManagedSseEnabled"] = "true"
	}
	if s.fifo {
		all["ContentBasedDeduplication"], all["DeduplicationScope"], all["FifoThroughputLimit"] = "false", "queue", "perQueue"
	}
	maps.Copy(all, attributes)
	return all
}
