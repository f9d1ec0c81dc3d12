package sns

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func attributesOf(pairs ...string) map[string]Attribute {
	all := map[string]Attribute{}
	for i := 0; i < len(pairs); i += 3 {
		all[pairs[i]] = Attribute{DataType: pairs[i+1], StringValue: pairs[i+2]}
	}
	return all
}

// The examples of https://docs.aws.amazon.com/sns/latest/dg/string-value-matching.html
// and its neighbours.
func TestPoliciesOfAttributes(t *testing.T) {
	for _, c := range []struct {
		policy     string
		attributes map[string]Attribute
		want       bool
	}{
		{`{"k":["rugby","tennis"]}`, attributesOf("k", "String", "tennis"), true},
		{`{"k":["rugby","tennis"]}`, attributesOf("k", "String.Array", `["baseball","rugby"]`), true},
		{`{"k":["rugby","tennis"]}`, attributesOf("k", "String", "baseball"), false},
		{`{"k":["rugby","tennis"]}`, attributesOf("k", "String", "Rugby"), false},
		{`{"k":["rugby","tennis"]}`, attributesOf("other", "String", "rugby"), false},
		{`{"k":[{"anything-but":["rugby","tennis"]}]}`, attributesOf("k", "String", "football"), true},
		{`{"k":[{"anything-but":["rugby","tennis"]}]}`, attributesOf("k", "String.Array", `["rugby","baseball"]`), true},
		{`{"k":[{"anything-but":["rugby","tennis"]}]}`, attributesOf("k", "String.Array", `["rugby"]`), false},
		{`{"k":[{"anything-but":["rugby","tennis"]}]}`, attributesOf(), false},
		{`{"k":[{"anything-but":{"prefix":"order-"}}]}`, attributesOf("k", "String", "data-entry"), true},
		{`{"k":[{"anything-but":{"prefix":"order-"}}]}`, attributesOf("k", "String", "order-number"), false},
		{`{"k":[{"anything-but":[100,500]}]}`, attributesOf("k", "Number", "101"), true},
		{`{"k":[{"anything-but":[100,500]}]}`, attributesOf("k", "Number", "1e2"), false},
		{`{"k":[{"equals-ignore-case":"tennis"}]}`, attributesOf("k", "String", "TeNnis"), true},
		{`{"k":[{"cidr":"10.0.0.0/24"}]}`, attributesOf("k", "String", "10.0.0.255"), true},
		{`{"k":[{"cidr":"10.0.0.0/24"}]}`, attributesOf("k", "String", "10.1.1.0"), false},
		{`{"k":[{"prefix":"bas"}]}`, attributesOf("k", "String", "baseball"), true},
		{`{"k":[{"suffix":"ball"}]}`, attributesOf("k", "String", "baseball"), true},
		{`{"k":[{"suffix":"ball"}]}`, attributesOf("k", "String", "rugby"), false},
		{`{"k":[301.5]}`, attributesOf("k", "Number", "3.015e2"), true},
		{`{"k":[301.5]}`, attributesOf("k", "String", "301.5"), false},
		{`{"k":["301.5"]}`, attributesOf("k", "Number", "301.5"), false},
		{`{"k":[{"numeric":["<=",0]}]}`, attributesOf("k", "Number", "-1"), true},
		{`{"k":[{"numeric":[">",0,"<=",150]}]}`, attributesOf("k", "Number", "150"), true},
		{`{"k":[{"numeric":[">",0,"<=",150]}]}`, attributesOf("k", "Number", "0"), false},
		{`{"k":[{"numeric":["=",5]}]}`, attributesOf("k", "String.Array", `["x",5]`), true},
		{`{"k":[true,null]}`, attributesOf("k", "String.Array", `[null]`), true},
		{`{"k":["[x"]}`, attributesOf("k", "String.Array", `[x`), true}, // no array: a text
		{`{"k":[{"exists":true}]}`, attributesOf("k", "String", "x"), true},
		{`{"k":[{"exists":true}]}`, attributesOf(), false},
		{`{"k":[{"exists":false}]}`, attributesOf(), true},
		{`{"k":[{"exists":false}]}`, attributesOf("k", "Number", "1"), false},
		{`{"a":["x"],"$or":[{"b":["y"]},{"c":[{"numeric":[">",1]}]}]}`, attributesOf("a", "String", "x", "c", "Number", "2"), true},
		{`{"a":["x"],"$or":[{"b":["y"]},{"c":[{"numeric":[">",1]}]}]}`, attributesOf("a", "String", "x", "c", "Number", "1"), false},
		{`{}`, attributesOf(), true},
	} {
		p, err := parsePolicy(c.policy, false)
		if err != nil {
			t.Errorf("%s: %v", c.policy, err)
			continue
		}
		if got := p.takes(&message{Attributes: c.attributes}); got != c.want {
			t.Errorf("%s of %v: %t", c.policy, c.attributes, got)
		}
	}
	p, err := parsePolicy(`{"k":[{"exists":true}]}`, false)
	if err != nil || p.takes(&message{Attributes: map[string]Attribute{"k": {DataType: "Binary", BinaryValue: []byte("x")}}}) {
		t.Errorf("SNS sees no binary attributes: %v", err)
	}
}

func TestPoliciesOfBodies(t *testing.T) {
	for _, c := range []struct {
		policy, body string
		want         bool
	}{
		{`{"a":{"b":["x"]}}`, `{"a":{"b":"x","c":1}}`, true},
		{`{"a":{"b":["x"]}}`, `{"a":{"b":["y","x"]}}`, true},
		{`{"a":{"b":["x"]}}`, `{"a":[{"b":"y"},{"b":"x"}]}`, true},
		{`{"a":{"b":["x"]}}`, `{"a":"x"}`, false},
		{`{"a":[{"exists":true}]}`, `{"a":{"b":1}}`, false}, // leaves only
		{`{"a":[true]}`, `{"a":true}`, true},
		{`{"a":["x"]}`, `no JSON`, false},
		{`{"a":["x"]}`, `"x"`, false},
	} {
		p, err := parsePolicy(c.policy, true)
		if err != nil {
			t.Errorf("%s: %v", c.policy, err)
			continue
		}
		if got := p.takes(&message{Body: c.body}); got != c.want {
			t.Errorf("%s of %s: %t", c.policy, c.body, got)
		}
	}
}

func TestRefusedPolicies(t *testing.T) {
	thirteen := `["` + strings.Repeat(`x","`, 12) + `x"]`
	for _, c := range []struct {
		policy string
		ofBody bool
		want   string
	}{
		{`{`, false, "failed to parse JSON"},
		{`[]`, false, "failed to parse JSON"},
		{`{"a":"x"}`, false, `"a" must be an object or an array`},
		{`{"a":{"b":["x"]}}`, false, "does not support nested filter policy"},
		{`{"a":[]}`, false, "Empty arrays"},
		{`{"a":{}}`, true, "Empty objects"},
		{`{"a":[["x"]]}`, false, "Match value must be String, number, true, false, or null"},
		{`{"a":[{"prefix":"x","suffix":"y"}]}`, false, "Only one key allowed"},
		{`{"a":[{"wildcard":"x*"}]}`, false, "Unrecognized match type wildcard"},
		{`{"a":[{"exists":1}]}`, false, "either true or false"},
		{`{"a":[{"prefix":1}]}`, false, "prefix match pattern must be a string"},
		{`{"a":[{"numeric":"x"}]}`, false, "must be an array"},
		{`{"a":[{"numeric":["~",1]}]}`, false, "numeric"},
		{`{"a":[{"anything-but":{"suffix":"x"}}]}`, false, "Unsupported anything-but pattern: suffix"},
		{`{"a":[1000000001]}`, false, "between -10^9 and 10^9"},
		{`{"a":["x"],"b":["x"],"c":["x"],"d":["x"],"e":["x"],"f":["x"]}`, false, "more than 5 keys"},
		{`{"a":` + thirteen + `,"b":` + thirteen + `}`, false, "too complex"},
		// Four values three levels deep, three two levels deep, three on top: 216.
		{`{"key_a":{"key_b":{"key_c":["1","2","3","4"]}},"key_d":{"key_e":["1","2","3"]},"key_f":["1","2","3"]}`, true, "too complex"},
	} {
		_, err := parsePolicy(c.policy, c.ofBody)
		if err == nil || !strings.Contains(err.Error(), "InvalidParameter: Invalid parameter: FilterPolicy: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.policy, err, c.want)
		}
	}
	// Nested keys don't count, and what fits is taken.
	if _, err := parsePolicy(`{"a":["x"],"b":["x"],"c":["x"],"d":["x"],"e":{"f":["x"],"g":["x"]}}`, true); err != nil {
		t.Error(err)
	}
}

// Whatever a policy and a message are: no panic, a refusal in AWS's shape, and the
// same answer each time.
func FuzzPolicy(f *testing.F) {
	f.Add(`{"a":["x",{"prefix":"y"}],"$or":[{"b":[1]},{"c":[{"numeric":["=",1]}]}]}`, `{"a":"x","b":1}`, true)
	f.Add(`{"a":[{"anything-but":{"prefix":"x"}}]}`, `["x"]`, false)
	f.Add(`{"a":[{"cidr":"::/0"}]}`, "::1", false)
	f.Add(`{"a":[1e9999999999]}`, "1e9999999999", false)
	f.Fuzz(func(t *testing.T, text, value string, ofBody bool) {
		p, err := parsePolicy(text, ofBody)
		if err != nil {
			if asError(err).Code != "InvalidParameter" || utf8.ValidString(text) && !utf8.ValidString(err.Error()) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("took %q", text)
		}
		m := &message{Body: value, Attributes: attributesOf("a", "String.Array", value, "b", "Number", "1", "c", "String", value)}
		if first, second := p.takes(m), p.takes(m); first != second {
			t.Errorf("%q takes %q, and doesn't", text, value)
		}
	})
}

// A form comes apart as it was put together, and none makes trouble.
func FuzzForm(f *testing.F) {
	f.Add("Action=Publish&MessageAttributes.entry.1.Name=a&MessageAttributes.entry.1.Value.DataType=String&Message=x")
	f.Add("Tags.member.1.Key=a&Tags.member.2.Value=b&TagKeys.member.1=")
	f.Add("%zz&a=%00;b")
	f.Fuzz(func(t *testing.T, body string) {
		c, err := parseForm(body)
		if err != nil {
			return
		}
		if n := len(c.members("Tags", "member", "Key", "Value")); n > 0 && !c.has("Tags.member.1.Key") && !c.has("Tags.member.1.Value") {
			t.Errorf("%d members out of %q", n, body)
		}
		c.entries("Attributes")
		c.tags("Tags")
		c.list("TagKeys")
		m, err := readMessage(&topic{settings: topicSettings{maxSize: defaultMaximumSize}}, call{form: c})
		if err == nil && (m.Body != c.get("Message") && c.get("MessageStructure") == "" || m.Body == "" && c.get("MessageStructure") == "") {
			t.Errorf("read %q out of %q", m.Body, body)
		}
	})
}
