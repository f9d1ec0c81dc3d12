// Command block keeps the list of pictures that nobody may upload to Crumb. It is
// given files, and puts their bytes and their pixels on the list, or takes them off:
//
//	block -table Crumb-SiteTable-1ABC -reason "an advertisement" FILE...
//	block -table Crumb-SiteTable-1ABC -remove FILE...
//
// Region, credentials and endpoint are those of the AWS configuration: with
// AWS_ENDPOINT_URL it works on a local stack.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/nightshift-go/nightshift/internal/crumb/photos"
	"github.com/nightshift-go/nightshift/internal/crumb/resizer"
	"github.com/nightshift-go/nightshift/internal/crumb/rows"
	"github.com/nightshift-go/nightshift/pkg/dynamo"
	"github.com/nightshift-go/nightshift/pkg/store"
)

func main() {
	name := flag.String("table", "", "name of the site's table")
	reason := flag.String("reason", "", "why the pictures are not allowed; operators read it")
	remove := flag.Bool("remove", false, "take them off the list")
	flag.Parse()
	if *name == "" || flag.NArg() == 0 || *remove == (*reason != "") {
		fmt.Fprintln(os.Stderr, "usage: block -table NAME (-reason WHY | -remove) FILE...")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	table, err := open(ctx, *name)
	if err == nil {
		err = list(ctx, os.Stdout, table, *reason, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// open finds the site's table. Its rows are written alone, without a job: the jobs
// table is not needed, and not named.
func open(ctx context.Context, name string) (*rows.Table, error) {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, fmt.Errorf("block: reading the AWS configuration: %w", err)
	}
	driver := dynamo.New(dynamodb.NewFromConfig(cfg), name)
	jobs, err := store.New(store.Config{Driver: driver})
	if err != nil {
		return nil, err
	}
	return rows.New(driver, name, jobs)
}

// list puts the files on the list, or takes them off where there is no reason. One
// that can't be read does not stop the others.
func list(ctx context.Context, out io.Writer, table *rows.Table, reason string, files []string) error {
	var problems []error
	for _, file := range files {
		problems = append(problems, one(ctx, out, table, reason, file))
	}
	return errors.Join(problems...)
}

func one(ctx context.Context, out io.Writer, table *rows.Table, reason, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("block: %w", err)
	}
	hashes, err := resizer.Hashes(ctx, data)
	if err != nil {
		return fmt.Errorf("block: reading %s: %w", file, err)
	}
	for _, hash := range hashes {
		what := "blocked"
		if reason == "" {
			what, err = "allowed", photos.Unblock(ctx, table, hash)
		} else {
			err = photos.Block(ctx, table, hash, reason)
		}
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s  %v  %s\n", what, hash, file); err != nil {
			return err
		}
	}
	return nil
}
