package payload_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/payload"
)

type hollow struct{ inner *struct{ text string } }

func (h hollow) MarshalJSON() ([]byte, error) { return []byte(h.inner.text), nil }

// A value may have code of its own, which may panic: that is an error of the value.
func TestAValueThatPanicsCanNotBeEncoded(t *testing.T) {
	for name, value := range map[string]any{"itself": hollow{}, "a part": map[string]any{"a": []hollow{{}}}} {
		data, err := payload.Encode(value)
		if err == nil || data != nil || !strings.Contains(err.Error(), "panicked") {
			t.Errorf("%s: %s, %v", name, data, err)
		}
	}
}
