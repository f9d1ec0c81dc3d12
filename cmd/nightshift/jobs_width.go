package main

import (
	"strings"
	"unicode"
)

// cells counts the cells that a text takes on a terminal.
func cells(text string) int {
	n := 0
	for _, r := range text {
		n += runeCells(r)
	}
	return n
}

// wide are the characters that take two cells: East Asian ones and emoji.
// https://www.unicode.org/reports/tr11/
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1}, {0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x2614, 0x2615, 1}, {0x26a1, 0x26a1, 1}, {0x2705, 0x2705, 1}, {0x274c, 0x274c, 1},
		{0x2e80, 0x303e, 1}, {0x3041, 0x33ff, 1}, {0x3400, 0x4dbf, 1}, {0x4e00, 0xa4cf, 1}, {0xa960, 0xa97f, 1}, {0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1}, {0xfe30, 0xfe6f, 1}, {0xff01, 0xff60, 1}, {0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{{0x1f300, 0x1f64f, 1}, {0x1f680, 0x1f6ff, 1}, {0x1f900, 0x1f9ff, 1}, {0x20000, 0x3fffd, 1}},
}

func runeCells(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case unicode.Is(wide, r):
		return 2
	}
	return 1
}

// fit cuts a text to so many cells at most.
func fit(text string, most int) string {
	if cells(text) <= most {
		return text
	}
	if most < 1 {
		return ""
	}
	var b strings.Builder
	for _, r := range text {
		if most -= runeCells(r); most < 1 { // the last cell is for the mark
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}

// pad fills a text up to so many cells.
func pad(text string, to int) string {
	return text + strings.Repeat(" ", max(0, to-cells(text)))
}
