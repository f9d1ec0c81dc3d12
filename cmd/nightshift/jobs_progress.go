package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// A measure is what a job's progress says of how far the job has come.
type measure struct {
	// known tells that share is known: from 0 to 1.
	known bool
	share float64
	// text is the progress in words: "2 of 5", or the JSON.
	text string
}

// measureOf reads a job's progress:
//
//	{"done": 2, "of": 5}  2 of 5
//	{"percent": 40}       40 percent, from 0 to 100
//	0.4                   a number from 0 to 1 is a share; 1 is the whole
//	40                    a number above 1, to 100, is percent
//
// Everything else is no measure and stands for itself. So one percent as a bare
// number can't be told from the whole; {"percent": 1} can.
func measureOf(progress []byte) measure {
	decoder := json.NewDecoder(bytes.NewReader(progress))
	decoder.UseNumber()
	var value any
	if !json.Valid(progress) || decoder.Decode(&value) != nil {
		return measure{text: string(progress)}
	}
	switch v := value.(type) {
	case json.Number:
		if share, ok := shareOf(v); ok {
			return measure{known: true, share: share}
		}
	case map[string]any:
		if done, of, ok := two(v["done"], v["of"]); ok && of > 0 && done >= 0 {
			return measure{known: true, share: min(done/of, 1), text: v["done"].(json.Number).String() + " of " + v["of"].(json.Number).String()}
		}
		if percent, _, ok := two(v["percent"], json.Number("0")); ok && percent >= 0 && percent <= 100 {
			return measure{known: true, share: percent / 100}
		}
	}
	return measure{text: compact(progress)}
}

// shareOf reads a bare number.
func shareOf(n json.Number) (share float64, ok bool) {
	f, err := n.Float64()
	if f > 1 {
		f /= 100
	}
	return f, err == nil && f >= 0 && f <= 1
}

func two(a, b any) (x, y float64, ok bool) {
	first, isA := a.(json.Number)
	second, isB := b.(json.Number)
	if !isA || !isB {
		return 0, 0, false
	}
	x, errX := first.Float64()
	y, errY := second.Float64()
	return x, y, errX == nil && errY == nil
}

// String shows a measure shortly: "40% (2 of 5)".
func (m measure) String() string {
	switch {
	case !m.known:
		return m.text
	case m.text == "":
		return fmt.Sprintf("%d%%", m.percent())
	}
	return fmt.Sprintf("%d%% (%s)", m.percent(), m.text)
}

// percent cuts to the whole percent, so that 100 means the end.
func (m measure) percent() int { return int(math.Floor(m.share*100 + 1e-9)) }

// bar draws the share over so many cells.
func (m measure) bar(cells int, look look) string {
	full := int(math.Floor(m.share*float64(cells) + 1e-9))
	return strings.Repeat(look.full, full) + strings.Repeat(look.empty, cells-full)
}

// compact takes the white space out of JSON.
func compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
