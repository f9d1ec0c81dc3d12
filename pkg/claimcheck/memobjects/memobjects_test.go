package memobjects_test

import (
	"testing"

	"github.com/nightshift-go/nightshift/pkg/claimcheck"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/memobjects"
	"github.com/nightshift-go/nightshift/pkg/claimcheck/objecttest"
)

func TestConformance(t *testing.T) {
	objecttest.Run(t, func(*testing.T) claimcheck.Driver { return memobjects.New(nil) })
}
