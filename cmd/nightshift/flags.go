package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"strconv"
)

// newFlags makes a command's flags with its usage text.
func newFlags(s streams, name, usage string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(s.err)
	flags.Usage = func() {
		fmt.Fprint(flags.Output(), usage, "\nFlags:\n")
		flags.PrintDefaults()
	}
	return flags
}

// parse reads flags before, between and after the plain arguments, and gives
// those. "--" ends the flags. The usage is shown to who asks for it; a mistake is one
// line.
func parse(s streams, flags *flag.FlagSet, args []string) ([]string, error) {
	usage := flags.Usage
	flags.Usage = func() {}
	defer func() { flags.Usage = usage }()
	var plain []string
	for {
		flags.SetOutput(io.Discard)
		err := flags.Parse(args)
		flags.SetOutput(s.err)
		switch {
		case errors.Is(err, flag.ErrHelp):
			usage()
			return nil, err
		case err != nil:
			return nil, misuse(s, flags, "%v", err)
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return plain, nil
		}
		if parsed := len(args) - len(rest); parsed > 0 && args[parsed-1] == "--" {
			return append(plain, rest...), nil
		}
		plain, args = append(plain, rest[0]), rest[1:]
	}
}

// endpoint gives the AWS endpoint that the environment names, or "".
// https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
func endpoint() (string, error) {
	const name = "AWS_ENDPOINT_URL"
	text := os.Getenv(name)
	if text == "" {
		return "", nil
	}
	if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", fmt.Errorf("%s is %q: want an http or https URL with a host, or nothing", name, text)
	}
	return text, nil
}

// misuse reports a wrong command line, shortly: what is wrong must be seen.
func misuse(s streams, flags *flag.FlagSet, format string, args ...any) error {
	fmt.Fprintf(s.err, "nightshift %[1]s: %[2]s\n\nnightshift %[1]s --help says how it is used.\n", flags.Name(), fmt.Sprintf(format, args...))
	return errMisuse
}

// countFlag reads a number of things into a variable.
func countFlag(into *int) func(string) error {
	return func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return errors.New("want a whole number, 0 or more")
		}
		*into = n
		return nil
	}
}

// rateFlag reads how many a second into a variable.
func rateFlag(into *float64) func(string) error {
	return func(text string) error {
		r, err := strconv.ParseFloat(text, 64)
		if err != nil || !(r == 0 || r >= 1/mostRate && r <= mostRate) {
			return errors.New("want a number, 0 or more, and at most a billion")
		}
		*into = r
		return nil
	}
}
