package ses

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A rendering is a template, taken apart. SES's templates are Handlebars without
// helpers of one's own, and nothing is escaped.
// https://docs.aws.amazon.com/ses/latest/dg/send-personalized-email-advanced.html
type rendering []piece

// A piece is text, a value ({{path}}), or a block ({{#if path}}) with what stands in
// it and after its {{else}}.
type piece struct {
	text        string
	block       string // "", "value", "if", "unless", "each", "with"
	path        []string
	inner, none rendering
}

var (
	tagPattern  = regexp.MustCompile(`(?s)\{\{\{(.*?)\}\}\}|\{\{(!--.*?--|.*?)\}\}`)
	pathPattern = regexp.MustCompile(`^(\.\./)*(this|@?[A-Za-z0-9_-]+)([./][A-Za-z0-9_-]+)*$`)
	blocks      = []string{"if", "unless", "each", "with"}
)

// maxBlocks bounds how deep blocks are in one another.
const maxBlocks = 50

// parse reads a template.
func parse(text string) (rendering, error) {
	p := parser{text: text, tags: tagPattern.FindAllStringSubmatchIndex(text, -1)}
	whole, end, err := p.until(0)
	if err == nil && end != "" {
		err = fmt.Errorf("{{%s}} ends nothing", end)
	}
	return whole, err
}

type parser struct {
	text string
	at   int
	tags [][]int
}

// until reads on to the end of a block, or to its {{else}}, or to that of the text,
// and tells which.
func (p *parser) until(depth int) (found rendering, end string, err error) {
	if depth > maxBlocks {
		return nil, "", fmt.Errorf("more than %d blocks in one another", maxBlocks)
	}
	for len(p.tags) > 0 {
		tag := p.tags[0]
		p.tags = p.tags[1:]
		found = append(found, piece{text: p.text[p.at:tag[0]]})
		p.at = tag[1]
		inside := p.text[max(tag[2], tag[4]):max(tag[3], tag[5])]
		name, argument, _ := strings.Cut(strings.TrimSpace(inside), " ")
		switch {
		case strings.HasPrefix(name, "!"):
		case strings.HasPrefix(name, "/"), name == "else" && argument == "":
			return found, name, nil
		default:
			one, err := p.piece(name, strings.TrimSpace(argument), depth)
			if err != nil {
				return nil, "", err
			}
			found = append(found, one)
		}
	}
	found = append(found, piece{text: p.text[p.at:]})
	p.at = len(p.text)
	return found, "", nil
}

func (p *parser) piece(name, argument string, depth int) (piece, error) {
	block, isBlock := strings.CutPrefix(name, "#")
	made := piece{block: "value"}
	written := name
	if isBlock {
		made.block, written = block, argument
	}
	if isBlock && !slices.Contains(blocks, block) || !isBlock && argument != "" || !pathPattern.MatchString(written) {
		return made, fmt.Errorf("{{%s %s}} is not understood", name, argument)
	}
	made.path = strings.FieldsFunc(strings.ReplaceAll(written, "../", "^/"), func(r rune) bool { return r == '.' || r == '/' })
	if !isBlock {
		return made, nil
	}
	inner, end, err := p.until(depth + 1)
	if err == nil && end == "else" {
		made.none, end, err = p.until(depth + 1)
	}
	if err == nil && end != "/"+block {
		err = fmt.Errorf("{{#%s %s}} has no end", block, argument)
	}
	made.inner = inner
	return made, err
}

// A scope is what paths begin at, innermost first.
type scope struct {
	this  any
	extra map[string]any // @index and its kind
	above *scope
}

// find follows a path; false where it leads nowhere.
func (s *scope) find(path []string) (any, bool) {
	for len(path) > 0 && path[0] == "^" {
		if path, s = path[1:], s.above; s == nil {
			return nil, false
		}
	}
	value := s.this
	for i, name := range path {
		if name == "this" && i == 0 {
			continue
		}
		if i == 0 && strings.HasPrefix(name, "@") {
			found, ok := s.extra[name]
			if !ok {
				return nil, false
			}
			value = found
			continue
		}
		switch v := value.(type) {
		case map[string]any:
			found, ok := v[name]
			if !ok {
				return nil, false
			}
			value = found
		case []any:
			at, err := strconv.Atoi(name)
			if err != nil || at < 0 || at >= len(v) {
				return nil, false
			}
			value = v[at]
		default:
			return nil, false
		}
	}
	return value, true
}

// write renders into out. A value that the data lack is an error, as with SES.
func (r rendering) write(out *strings.Builder, s *scope) error {
	for _, p := range r {
		out.WriteString(p.text)
		if p.block == "" {
			continue
		}
		value, found := s.find(p.path)
		var err error
		switch {
		case p.block == "value" && !found:
			return fmt.Errorf("attribute '%s' is not present in the rendering data", strings.ReplaceAll(strings.Join(p.path, "."), "^.", "../"))
		case p.block == "value":
			out.WriteString(shown(value))
		case p.block == "each":
			err = p.each(out, value, s)
		case truth(value) == (p.block != "unless"):
			inner := s
			if p.block == "with" {
				inner = &scope{this: value, above: s}
			}
			err = p.inner.write(out, inner)
		default:
			err = p.none.write(out, s)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (p piece) each(out *strings.Builder, value any, s *scope) error {
	if !truth(value) {
		return p.none.write(out, s)
	}
	switch v := value.(type) {
	case []any:
		for i, item := range v {
			extra := map[string]any{"@index": json.Number(strconv.Itoa(i)), "@first": i == 0, "@last": i == len(v)-1}
			if err := p.inner.write(out, &scope{item, extra, s}); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if err := p.inner.write(out, &scope{v[key], map[string]any{"@key": key}, s}); err != nil {
				return err
			}
		}
	}
	return nil
}

// truth is Handlebars': false, null, 0, "" and [] are none.
func truth(value any) bool {
	switch v := value.(type) {
	case nil:
		return false
	case bool:
		return v
	case string:
		return v != ""
	case json.Number:
		f, err := v.Float64()
		return err != nil || f != 0
	case []any:
		return len(v) > 0
	}
	return true
}

func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		all := make([]string, len(v))
		for i, item := range v {
			all[i] = shown(item)
		}
		return strings.Join(all, ",")
	case map[string]any:
		return "[object Object]"
	}
	return fmt.Sprint(value)
}
