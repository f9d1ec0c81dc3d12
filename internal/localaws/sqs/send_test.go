package sqs

import (
	"fmt"
	"strings"
	"testing"
)

func TestMessageRules(t *testing.T) {
	s := open(t)
	queue := s.queue("q", m{"MaximumMessageSize": "2048"})
	text := func(v string) m { return m{"DataType": "String", "StringValue": v} }
	named := func(name string, a m) m { return m{"MessageBody": "x", "MessageAttributes": m{name: a}} }
	eleven := m{}
	for i := range 11 {
		eleven[fmt.Sprint(i)] = text("x")
	}
	for name, c := range map[string]struct {
		in   m
		code string // "" means that it is taken
	}{
		"no body":                  {m{}, "MissingParameter"},
		"control character":        {m{"MessageBody": "a\x01b"}, "InvalidMessageContents"},
		"U+FFFE":                   {m{"MessageBody": "\uFFFE"}, "InvalidMessageContents"},
		"tab, line ends, astral":   {m{"MessageBody": "\t\r\n\U0001F600\uFFFD"}, ""},
		"as long as the queue has": {m{"MessageBody": strings.Repeat("x", 2048)}, ""},
		"one byte too long":        {m{"MessageBody": strings.Repeat("x", 2049)}, "InvalidParameterValue"},
		"bytes count, not letters": {m{"MessageBody": strings.Repeat("é", 1025)}, "InvalidParameterValue"},
		"too long by attributes":   {m{"MessageBody": strings.Repeat("x", 2040), "MessageAttributes": m{"n": text("vv")}}, "InvalidParameterValue"},
		"just fits with them":      {m{"MessageBody": strings.Repeat("x", 2039), "MessageAttributes": m{"n": text("vv")}}, ""},
		"delay 900":                {m{"MessageBody": "x", "DelaySeconds": 900}, ""},
		"delay 901":                {m{"MessageBody": "x", "DelaySeconds": 901}, "InvalidParameterValue"},
		"delay -1":                 {m{"MessageBody": "x", "DelaySeconds": -1}, "InvalidParameterValue"},
		"eleven attributes":        {m{"MessageBody": "x", "MessageAttributes": eleven}, "InvalidParameterValue"},
		"reserved name":            {named("AWS.x", text("v")), "InvalidParameterValue"},
		"double period":            {named("a..b", text("v")), "InvalidParameterValue"},
		"period at the end":        {named("a.", text("v")), "InvalidParameterValue"},
		"space in a name":          {named("a b", text("v")), "InvalidParameterValue"},
		"empty value":              {named("a", text("")), "InvalidParameterValue"},
		"no type":                  {named("a", m{"StringValue": "v"}), "InvalidParameterValue"},
		"unknown type":             {named("a", m{"DataType": "Text", "StringValue": "v"}), "InvalidParameterValue"},
		"custom type":              {named("a", m{"DataType": "Number.int", "StringValue": "7"}), ""},
		"no number":                {named("a", m{"DataType": "Number", "StringValue": "7x"}), "InvalidParameterValue"},
		"binary without value":     {named("a", m{"DataType": "Binary", "StringValue": "v"}), "InvalidParameterValue"},
		"binary":                   {named("a", m{"DataType": "Binary", "BinaryValue": "AAE="}), ""},
		"control in a value":       {named("a", text("\x02")), "InvalidParameterValue"},
		"other system attribute":   {m{"MessageBody": "x", "MessageSystemAttributes": m{"X": text("v")}}, "InvalidParameterValue"},
		"body of another type":     {m{"MessageBody": 7}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.in["QueueUrl"] = queue
			_, err := s.try("SendMessage", c.in)
			switch {
			case name == "body of another type":
				if err == nil || !strings.Contains(err.Error(), "SerializationException") {
					t.Errorf("got %v", err)
				}
			case c.code == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.code != "":
				s.refused("SendMessage", c.in, c.code)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-1.5": true, "+3": true, ".5": true, "1.": true, "1e126": true, "1.1e126": false, "-1e128": true, "-1.1e128": false,
		"1" + strings.Repeat("0", 37): true, strings.Repeat("9", 39): false, "": false, "NaN": false, "Inf": false, "0x10": false, "1e": false, "1 ": false,
	} {
		equal(t, text, validNumber(text), want)
	}
}

func TestBatches(t *testing.T) {
	s := open(t)
	queue := s.queue("q", m{"MaximumMessageSize": "262144"})
	entries := func(n, size int) (list []m) {
		for i := range n {
			list = append(list, m{"Id": fmt.Sprint(i), "MessageBody": strings.Repeat("x", size)})
		}
		return list
	}
	batch := func(list []m) m { return m{"QueueUrl": queue, "Entries": list} }
	const prefix = "AWS.SimpleQueueService."
	twins, misnamed := entries(2, 1), entries(1, 1)
	twins[1]["Id"], misnamed[0]["Id"] = "0", "a b!"
	for _, operation := range []string{"SendMessageBatch", "DeleteMessageBatch", "ChangeMessageVisibilityBatch"} {
		s.refused(operation, batch(nil), prefix+"EmptyBatchRequest")
		s.refused(operation, batch(entries(11, 1)), prefix+"TooManyEntriesInBatchRequest")
		s.refused(operation, batch(twins), prefix+"BatchEntryIdsNotDistinct")
		s.refused(operation, batch(misnamed), prefix+"InvalidBatchEntryId")
	}
	s.refused("SendMessageBatch", batch(entries(5, 250_000)), prefix+"BatchRequestTooLong")
	equal(t, "a batch refused whole leaves nothing", s.counts(queue), "0/0/0")

	mixed := entries(4, 1)
	mixed[1]["DelaySeconds"], mixed[2]["MessageBody"], mixed[3]["MessageBody"] = 901, "\x01", strings.Repeat("x", 262145)
	out := s.do("SendMessageBatch", batch(mixed))
	equal(t, "successes", len(out["Successful"].([]any)), 1)
	for i, code := range []string{"InvalidParameterValue", "InvalidMessageContents", "InvalidParameterValue"} {
		failure := out["Failed"].([]any)[i].(m)
		equal(t, "failure", fmt.Sprint(failure["Id"], failure["Code"], failure["SenderFault"]), fmt.Sprint(i+1, code, true))
	}
	handle := s.one(queue)["ReceiptHandle"]
	out = s.do("ChangeMessageVisibilityBatch", batch([]m{{"Id": "a", "ReceiptHandle": handle, "VisibilityTimeout": 60}, {"Id": "b", "ReceiptHandle": "bad", "VisibilityTimeout": 60}}))
	equal(t, "changes", fmt.Sprint(len(out["Successful"].([]any)), len(out["Failed"].([]any))), "1 1")
	out = s.do("DeleteMessageBatch", batch([]m{{"Id": "a", "ReceiptHandle": handle}, {"Id": "b", "ReceiptHandle": "bad"}, {"Id": "c", "ReceiptHandle": handle}}))
	equal(t, "deletions", fmt.Sprint(len(out["Successful"].([]any)), len(out["Failed"].([]any))), "2 1")
	equal(t, "left", s.counts(queue), "0/0/0")
}
