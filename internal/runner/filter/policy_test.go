package filter

import "testing"

func policy(t *testing.T, text string) *Filter {
	t.Helper()
	decoded, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f, err := CompilePolicy(decoded.(map[string]any))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestPoliciesOfSubscriptions(t *testing.T) {
	for _, c := range []struct {
		policy, record string
		want           bool
	}{
		{`{"ip":[{"cidr":"10.0.0.0/24"}]}`, `{"ip":"10.0.0.255"}`, true},
		{`{"ip":[{"cidr":"10.0.0.0/24"}]}`, `{"ip":"10.0.1.1"}`, false},
		{`{"ip":[{"cidr":"10.0.0.0/24"}]}`, `{"ip":"somewhere"}`, false},
		{`{"ip":[{"cidr":"2001:db8::/32"}]}`, `{"ip":"2001:db8::1"}`, true},
		{`{"a":["x"],"$or":[{"b":["y"]},{"c":["z"]}]}`, `{"a":"x","c":"z"}`, true},
		{`{"a":["x"],"$or":[{"b":["y"]},{"c":["z"]}]}`, `{"a":"x","c":"y"}`, false},
		{`{"a":["x"],"$or":[{"b":["y"]},{"c":["z"]}]}`, `{"c":"z"}`, false},
		// One choice, values, or operators: a member of that name.
		{`{"$or":["x"]}`, `{"$or":"x"}`, true},
		{`{"$or":[{"prefix":"x"},{"prefix":"y"}]}`, `{"$or":"yes"}`, true},
		{`{"$or":[{"prefix":"x"},{"prefix":"y"}]}`, `{"prefix":"x"}`, false},
	} {
		if got := policy(t, c.policy).Match([]byte(c.record)); got != c.want {
			t.Errorf("%s on %s: %t", c.policy, c.record, got)
		}
	}
	if _, err := Compile([]string{`{"ip":[{"cidr":"10.0.0.0/24"}]}`}); err == nil {
		t.Error("a mapping took an operator that Lambda does not list")
	}
	if _, err := CompilePolicy(map[string]any{"ip": []any{map[string]any{"cidr": "10.0.0.0/33"}}}); err == nil {
		t.Error("a bad range was taken")
	}
}
