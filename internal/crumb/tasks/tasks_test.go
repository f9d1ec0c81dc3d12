package tasks_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

func TestKeysThatCanNotBe(t *testing.T) {
	for key, good := range map[string]bool{
		"": false, "uploads/everyone/0123456789abcdefghjkmnpqrs": true, "soup": true,
		strings.Repeat("k", 1024): true, strings.Repeat("k", 1025): false,
	} {
		if err := (tasks.ResizePhoto{Key: key}).Validate(); (err == nil) != good {
			t.Errorf("%.60q: %v", key, err)
		}
	}
}
