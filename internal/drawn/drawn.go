// Package drawn has tests of properties (pgregory.net/rapid) draw the same cases in each
// run: a run that fails tells of a change, and not of luck.
package drawn

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// Main is for TestMain of a package with such tests, and does not return. Others are
// drawn with -rapid.seed=N, and more with -rapid.checks=N.
func Main(m *testing.M) {
	flag.Parse()
	// Zero is rapid's default, and means another seed each time.
	if seed := flag.Lookup("rapid.seed").Value; seed.String() == "0" {
		if err := seed.Set("1"); err != nil {
			fmt.Fprintln(os.Stderr, "drawn: setting the seed:", err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
