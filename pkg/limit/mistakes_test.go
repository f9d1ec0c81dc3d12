package limit_test

import (
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/pkg/limit"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A mistake names its field, and no other.
func TestABucketsMistakesAreNamed(t *testing.T) {
	for field, change := range map[string]func(*limit.BucketConfig){
		"Burst":       func(c *limit.BucketConfig) { c.Burst = -1 },
		"Lease":       func(c *limit.BucketConfig) { c.Lease = -1 },
		"Hold":        func(c *limit.BucketConfig) { c.Hold = -1 },
		"LongestWait": func(c *limit.BucketConfig) { c.LongestWait = -1 },
	} {
		config := limit.BucketConfig{Driver: memstore.New(memstore.Config{}), Name: "bank", Rate: 1}
		change(&config)
		_, err := limit.NewBucket(config)
		if err == nil || !strings.HasPrefix(err.Error(), `limit: bucket "bank": `+field+" is -1") || strings.Count(err.Error(), " is ") != 2 {
			t.Errorf("%s: %v", field, err)
		}
	}
}
