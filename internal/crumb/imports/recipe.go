package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// contentOf reads a recipe: one of Crumb's own, or one of Schema.org. The error says
// what is wrong, for the reader.
func contentOf(data json.RawMessage) (recipes.Content, error) {
	if isRecipe(data) {
		return fromSchema(data)
	}
	content, err := payload.Decode[recipes.Content](data)
	if err != nil {
		return recipes.Content{}, fmt.Errorf("it is neither a recipe of Schema.org nor one of Crumb's: %w", err)
	}
	return tidy(content)
}

// tidy refuses what nobody would find among their drafts, besides what no draft is.
func tidy(content recipes.Content) (recipes.Content, error) {
	content, err := recipes.Tidy(content)
	if err == nil && content.Title == "" {
		err = errors.New("it has no title")
	}
	return content, err
}

// isRecipe tells whether an object says that it is a Recipe of Schema.org.
func isRecipe(data json.RawMessage) bool {
	var object struct {
		Type texts `json:"@type"`
	}
	return json.Unmarshal(data, &object) == nil && slices.ContainsFunc(object.Type, func(name string) bool {
		name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
		return strings.TrimPrefix(name, "schema.org/") == "Recipe"
	})
}

// schemaRecipe is what is read of a Recipe of Schema.org. Others leave out, or write
// as lists, whatever they like. Its times are not read: they are of the whole, and
// Crumb's are of the steps.
// https://schema.org/Recipe
type schemaRecipe struct {
	Name         texts        `json:"name"`
	Description  texts        `json:"description"`
	Yield        texts        `json:"recipeYield"`
	Ingredients  texts        `json:"recipeIngredient"`
	Ingredients0 texts        `json:"ingredients"` // as it was called before
	Instructions instructions `json:"recipeInstructions"`
	Keywords     texts        `json:"keywords"`
}

func fromSchema(data json.RawMessage) (recipes.Content, error) {
	var r schemaRecipe
	if err := json.Unmarshal(data, &r); err != nil {
		return recipes.Content{}, fmt.Errorf("it can't be read as a recipe of Schema.org: %w", err)
	}
	content := recipes.Content{
		Title: first(r.Name), Summary: cut(first(r.Description), recipes.MostSummary), Servings: servings(r.Yield),
		Tags: tags(r.Keywords),
	}
	for _, ingredient := range append(r.Ingredients, r.Ingredients0...) {
		content.Ingredients = append(content.Ingredients, oneLine(ingredient))
	}
	for _, step := range r.Instructions {
		content.Steps = append(content.Steps, recipes.Step{Text: step})
	}
	content, err := tidy(content)
	if err == nil && len(content.Ingredients)+len(content.Steps) == 0 {
		err = errors.New("it has neither ingredients nor steps")
	}
	return content, err
}

// texts is a text, a number, or a list of them: whatever else is left out.
type texts []string

// UnmarshalJSON reads any JSON.
func (t *texts) UnmarshalJSON(data []byte) error {
	var any any
	if err := json.Unmarshal(data, &any); err != nil {
		return err
	}
	*t = flat(any, nil)
	return nil
}

// flat gives the texts of a value, in their order.
func flat(value any, into []string) []string {
	switch v := value.(type) {
	case string:
		if text := plain(v); text != "" {
			into = append(into, text)
		}
	case float64:
		into = append(into, strconv.FormatFloat(v, 'g', -1, 64))
	case []any:
		for _, one := range v {
			into = flat(one, into)
		}
	}
	return into
}

// instructions are the steps of a recipe: texts, objects with a text, or sections of
// those.
// https://schema.org/recipeInstructions
type instructions []string

// UnmarshalJSON reads any JSON.
func (s *instructions) UnmarshalJSON(data []byte) error {
	var any any
	if err := json.Unmarshal(data, &any); err != nil {
		return err
	}
	*s = steps(any, nil)
	return nil
}

func steps(value any, into []string) []string {
	switch v := value.(type) {
	case string:
		for line := range strings.SplitSeq(plain(v), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				into = append(into, line)
			}
		}
	case []any:
		for _, one := range v {
			into = steps(one, into)
		}
	case map[string]any:
		for _, name := range []string{"itemListElement", "text", "name"} {
			if inner, ok := v[name]; ok {
				return steps(inner, into)
			}
		}
	}
	return into
}

// tag matches the tags that pages leave in their texts.
var tag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<[^<>]{1,200}>`) })

// plain gives a text without mark-up.
func plain(text string) string {
	text = strings.NewReplacer("<br>", "\n", "<br/>", "\n", "<br />", "\n", "</p>", "\n", "</li>", "\n").Replace(text)
	text = html.UnescapeString(tag().ReplaceAllString(text, ""))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n")))
}

func first(t texts) string {
	if len(t) == 0 {
		return ""
	}
	return oneLine(t[0])
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// cut shortens a text to so many characters.
func cut(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return strings.TrimSpace(string(runes[:most-1])) + "…"
	}
	return text
}

var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\d{1,4}`) })

// servings is the first number of a yield: "4 servings".
func servings(yield texts) int {
	n, err := strconv.Atoi(number().FindString(first(yield)))
	if err != nil || n > recipes.MostServings {
		return 0
	}
	return n
}

// tags are keywords, as a list or parted by commas, as far as they are short enough.
func tags(keywords texts) (tags []string) {
	for _, word := range strings.Split(strings.Join(keywords, ","), ",") {
		word = strings.ToLower(strings.TrimSpace(word))
		if word != "" && len([]rune(word)) <= recipes.MostTag && len(tags) < recipes.MostTags && !slices.Contains(tags, word) {
			tags = append(tags, word)
		}
	}
	return tags
}
