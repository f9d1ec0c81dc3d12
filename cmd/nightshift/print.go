package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// plain makes a text of somebody else's fit for a line of a terminal, and cuts it.
func plain(text string, limit int) string {
	var b strings.Builder
	for i, r := range []rune(text) {
		if i == limit {
			return b.String() + "…"
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// orDash shows that there is nothing.
func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// ofMost shows "3 of 5", or less where less is known.
func ofMost(n, most int) string {
	if most == 0 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d of %d", n, most)
}

// jsonLine writes one object on a line.
func jsonLine(w io.Writer, v any) error {
	encoded, err := json.Marshal(v)
	if err == nil {
		_, err = fmt.Fprintf(w, "%s\n", encoded)
	}
	if err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}
