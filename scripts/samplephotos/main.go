// Command samplephotos writes the project's sample photographs to a folder.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/nightshift-go/nightshift/internal/crumb/samplephotos"
)

func main() {
	out := flag.String("out", "", "folder to write to (created if need be)")
	flag.Parse()
	if *out == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "usage: samplephotos -out DIR")
		os.Exit(2)
	}
	if err := samplephotos.Write(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
