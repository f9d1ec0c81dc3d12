// Command build compiles the functions for AWS Lambda:
//
//	go run ./scripts/build                         all functions, for arm64 and amd64
//	go run ./scripts/build -targets arm64 photos   one of them, for one processor
//	go run ./scripts/build -check                  builds twice and compares
//
// Each folder under functions/ becomes <out>/<target>/<folder>/bootstrap: the
// name that Lambda's provided.al2023 starts, executable, without any library,
// and the same bytes for the same source wherever it is built. The target
// "local" builds for the computer at hand.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

func main() {
	out := flag.String("out", "dist", "the `folder` to build into")
	targets := flag.String("targets", "arm64,amd64", "what to build for: arm64, amd64 or local, with commas between")
	check := flag.Bool("check", false, "build twice, in two folders, and compare instead")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	b := builder{root: ".", out: *out, targets: strings.Split(*targets, ","), names: flag.Args()}
	err := b.validate()
	switch {
	case err != nil:
	case *check:
		err = b.reproduce(ctx)
	default:
		err = b.build(ctx)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
