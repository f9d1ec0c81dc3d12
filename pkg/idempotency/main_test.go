package idempotency_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/internal/drawn"
)

func TestMain(m *testing.M) { drawn.Main(m) }
