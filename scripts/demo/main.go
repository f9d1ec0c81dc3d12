// Command demo sends photographs through the whole local stack and shows what
// became of them:
//
//	go run ./scripts/demo [-photo FILE-OR-FOLDER] [-v]
//
// Without -photo it takes the project's sample photographs, bad ones included. It
// exits with 0 only if every photograph ended as it should, and leaves nothing
// running. As it should: with four sizes, or refused for a fault of its own,
// which of the samples is known and of others is taken on trust.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nightshift-go/nightshift/internal/runner"
	"github.com/nightshift-go/nightshift/pkg/client"
)

// longest bounds the sending. Building takes what it takes.
const longest = 10 * time.Minute

// atOnce is how many photographs are under way at a time.
const atOnce = 4

func main() {
	photo := flag.String("photo", "", "a photograph, or a folder of them; default the project's samples")
	verbose := flag.Bool("v", false, "show what the functions log")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := demo(ctx, *photo, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		stop()
		os.Exit(1)
	}
}

func demo(ctx context.Context, path string, verbose bool) (err error) {
	photos, err := load(path)
	if err != nil {
		return err
	}
	fmt.Println("Building the functions (some minutes, the first time) and starting the stack …")
	stack, err := runner.Start(ctx, runner.Config{
		Template: "template.yaml", DataDir: runner.InMemory,
		FunctionLog: func(function, line string) {
			if verbose {
				fmt.Printf("  %s: %s\n", function, line)
			}
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stack.Close()) }()
	fmt.Printf("Crumb is at %[1]s, its page for photographs at %[1]s/upload. Sending %[2]s, at most %[3]d at a time.\n\n", stack.HTTPURL(), count(len(photos), "photograph"), atOnce)

	api, err := client.New(client.Config{URL: stack.HTTPURL()})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	results := sendAll(ctx, api, stack.HTTPURL(), photos)
	if wrong := report(os.Stdout, results); wrong > 0 {
		return fmt.Errorf("%d of %s did not end as they should; `go run ./scripts/demo -v` shows what the functions log (-photo for your own)", wrong, count(len(photos), "photograph"))
	}
	return nil
}
