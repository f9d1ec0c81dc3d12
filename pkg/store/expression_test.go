package store

import (
	"maps"
	"testing"
)

func TestNamesIn(t *testing.T) {
	tests := []struct {
		expressions []string
		want        map[string]string
	}{
		{nil, map[string]string{}},
		{[]string{"SET #state = :to, #n = #n + :one REMOVE #not_before_ms", "#publish.#n = :n AND attribute_exists(#token)"},
			map[string]string{"#state": "state", "#n": "n", "#not_before_ms": "not_before_ms", "#publish": "publish", "#token": "token"}},
		{[]string{"#a", ":b = :c"}, map[string]string{"#a": "a"}},
	}
	for _, tt := range tests {
		if got := namesIn(tt.expressions...); !maps.Equal(got, tt.want) {
			t.Errorf("namesIn(%q) = %v, want %v", tt.expressions, got, tt.want)
		}
	}
}
