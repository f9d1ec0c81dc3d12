package main

import (
	"context"
	"fmt"
	"strings"
)

// runGroup runs a command that is a group of commands: the first argument says
// which one.
func runGroup(ctx context.Context, s streams, name, usage string, commands []command, args []string) error {
	flags := newFlags(s, name, usage)
	flags.Usage = func() { fmt.Fprint(flags.Output(), usage) }
	names := make([]string, len(commands))
	for i, c := range commands {
		if len(args) > 0 && c.name == args[0] {
			return c.run(ctx, s, args[1:])
		}
		names[i] = c.name
	}
	choice := names[0]
	if last := len(names) - 1; last > 0 {
		choice = strings.Join(names[:last], ", ") + " or " + names[last]
	}
	plain, err := parse(s, flags, args)
	if err != nil {
		return err
	}
	if len(plain) == 0 {
		return misuse(s, flags, "it takes a command: %s", choice)
	}
	return misuse(s, flags, "there is no command %q: use %s", plain[0], choice)
}
