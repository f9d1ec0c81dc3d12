// Command bench measures Nightshift and prints the tables of docs/performance.md.
//
//	go run ./scripts/bench [-only overhead,init,size,requests,powertools,throughput,mail,simulation]
//
// Everything runs on this machine over loopback, bounded in count and time. What
// is compared is compared within one run, since machines differ and are shared.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
)

// A section is one table.
type section struct {
	name string
	run  func(ctx context.Context, out io.Writer) error
}

func sections() []section {
	return []section{
		{"overhead", overhead},
		{"init", initTime},
		{"size", sizes},
		{"requests", requests},
		{"powertools", powertools},
		{"throughput", throughput},
		{"mail", mailPriorities},
		{"simulation", simulated},
	}
}

func main() {
	only := flag.String("only", "", "sections to run, separated by commas; default all")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Printf("%s, %s/%s, %d processors, %s\n", time.Now().UTC().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, s := range sections() {
		if *only != "" && !strings.Contains(","+*only+",", ","+s.name+",") {
			continue
		}
		if err := s.run(ctx, os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", s.name, err)
			os.Exit(1)
		}
	}
}
