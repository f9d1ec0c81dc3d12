package imports

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"unicode/utf8"

	"golang.org/x/net/html"

	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/payload"
	"github.com/nightshift-go/nightshift/pkg/producer"
)

const (
	// MaxItem is the most bytes that one recipe has: it becomes the arguments of a job.
	MaxItem = 200 << 10
	// MaxItems is how many recipes a file has at most, good or bad: they become a batch.
	MaxItems = producer.MaxMembers
)

// An item is a recipe of a file, or why it can't be one.
type item struct {
	// line is where it begins, from 1.
	line int
	data json.RawMessage
	// bad says what is wrong with it, for the reader; empty: nothing, so far.
	bad string
}

var (
	// errKind: the file is of no kind that can be imported.
	errKind = errors.New("imports: no file of recipes")
	// errMany: the file has more than there may be.
	errMany = errors.New("imports: too many recipes")
)

// split finds the recipes of a file. What is wrong with one of them is said of that
// one; an error, errKind or errMany, means that the whole file can't be imported. Of
// more than most only as many are found as show it.
func split(data []byte, contentType string, most int) ([]item, error) {
	items, err := itemsOf(data, contentType, most)
	if err == nil && len(items) > most {
		err = fmt.Errorf("%w: more than %d", errMany, most)
	}
	return items, err
}

func itemsOf(data []byte, contentType string, most int) ([]item, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return nil, fmt.Errorf("%w: its type is %q", errKind, contentType)
	}
	switch kind {
	case tasks.ImportLines:
		return splitLines(data, most), nil
	case tasks.ImportDocument:
		return splitDocument(data, 1, most), nil
	case tasks.ImportPage:
		return splitPage(data, most)
	}
	return nil, fmt.Errorf("%w: its type is %q", errKind, contentType)
}

// splitLines takes each line that is not empty for a recipe.
func splitLines(data []byte, most int) []item {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var items []item
	for line := 1; len(data) > 0 && len(items) <= most; line++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		if text = bytes.TrimSpace(text); len(text) > 0 {
			items = append(items, itemOf(line, text))
		}
	}
	return items
}

// itemOf makes an item of the text of one JSON object.
func itemOf(line int, text []byte) item {
	switch {
	case len(text) > MaxItem:
		return item{line: line, bad: fmt.Sprintf("it has %d bytes, and %d are allowed", len(text), MaxItem)}
	case !json.Valid(text):
		return item{line: line, bad: "it is not JSON" + where(text)}
	case text[0] != '{':
		return item{line: line, bad: "it is not an object: a recipe stands in { }"}
	case !utf8.Valid(text):
		return item{line: line, bad: "it is not text in UTF-8"}
	}
	// What a job's arguments can't hold: the same name twice, half a character.
	if _, err := payload.Decode[json.RawMessage](text); err != nil {
		return item{line: line, bad: fmt.Sprintf("it can't be read for sure: %v", err)}
	}
	return item{line: line, data: text}
}

// where says at which character JSON is at fault.
func where(text []byte) string {
	var fault *json.SyntaxError
	var any json.RawMessage
	if err := json.Unmarshal(text, &any); errors.As(err, &fault) {
		return fmt.Sprintf(": %s at byte %d", fault.Error(), fault.Offset)
	}
	return ""
}

// splitDocument finds the recipes of a document that begins at a line: the document
// itself, the elements of an array, or those of its @graph.
// https://www.w3.org/TR/json-ld11/#named-graphs
func splitDocument(data []byte, line, most int) []item {
	if text := bytes.TrimSpace(data); len(text) == 0 {
		return nil
	} else if !json.Valid(text) {
		return []item{{line: line, bad: "it is not JSON" + where(text)}}
	}
	at := line + leadingLines(data)
	data = bytes.TrimSpace(data)
	if data[0] == '[' {
		return elements(data, at, most)
	}
	var document struct {
		Graph json.RawMessage `json:"@graph"`
	}
	if err := json.Unmarshal(data, &document); err == nil && len(document.Graph) > 0 && document.Graph[0] == '[' {
		return recipesOf(elements(document.Graph, at+bytes.Count(data[:bytes.Index(data, document.Graph)], []byte("\n")), most))
	}
	return recipesOf([]item{itemOf(at, data)})
}

func leadingLines(data []byte) int {
	return bytes.Count(data[:len(data)-len(bytes.TrimLeft(data, " \t\r\n"))], []byte("\n"))
}

// elements gives the elements of an array whose text begins at a line.
func elements(array []byte, line, most int) []item {
	decoder := json.NewDecoder(bytes.NewReader(array))
	if _, err := decoder.Token(); err != nil {
		return []item{{line: line, bad: "it is not JSON"}}
	}
	var items []item
	counted := 0
	for decoder.More() && len(items) <= most {
		var element json.RawMessage
		if err := decoder.Decode(&element); err != nil {
			return append(items, item{line: line, bad: "it is not JSON"})
		}
		begin := int(decoder.InputOffset()) - len(element)
		line += bytes.Count(array[counted:begin], []byte("\n"))
		counted = begin
		items = append(items, itemOf(line, element))
	}
	return items
}

// recipesOf leaves out what says that it is something else than a recipe: pages
// describe themselves, their authors and the way to them as well.
func recipesOf(items []item) []item {
	var kept []item
	for _, i := range items {
		if i.bad != "" || isRecipe(i.data) {
			kept = append(kept, i)
		}
	}
	return kept
}

// splitPage finds the documents in the scripts of a page.
// https://schema.org/docs/gs.html
func splitPage(data []byte, most int) ([]item, error) {
	tokens := html.NewTokenizer(bufio.NewReader(bytes.NewReader(data)))
	line, inside := 1, false
	var items []item
	for len(items) <= most {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break // the end, or what browsers would not read either
		}
		raw := tokens.Raw()
		height := bytes.Count(raw, []byte("\n"))
		switch {
		case kind == html.TextToken && inside:
			// The tokenizer's bytes are others with its next token.
			items = append(items, splitDocument(bytes.Clone(raw), line, most)...)
		case kind == html.StartTagToken:
			inside = isLinkedData(tokens)
		case kind == html.EndTagToken:
			inside = false
		}
		line += height
	}
	if len(items) == 0 {
		return nil, fmt.Errorf("%w: the page holds none that are marked up", errKind)
	}
	return items, nil
}

// isLinkedData tells whether a tag begins a script of linked data.
func isLinkedData(tokens *html.Tokenizer) bool {
	tag, more := tokens.TagName()
	if string(tag) != "script" {
		return false
	}
	for more {
		var name, value []byte
		name, value, more = tokens.TagAttr()
		if kind, _, err := mime.ParseMediaType(string(value)); string(name) == "type" && err == nil && kind == tasks.ImportDocument {
			return true
		}
	}
	return false
}
