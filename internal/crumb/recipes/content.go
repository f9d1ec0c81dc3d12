package recipes

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what an author writes: lengths in characters.
const (
	MostTitle       = 120
	MostSummary     = 500
	MostServings    = 1000
	MostIngredients = 100
	MostIngredient  = 200
	MostSteps       = 100
	MostStep        = 2000
	MostMinutes     = 7 * 24 * 60 // of one step
	MostTags        = 10
	MostTag         = 30
)

// A BadContent says what is wrong with a recipe, for its author.
type BadContent struct{ Detail string }

// Error gives the detail.
func (b *BadContent) Error() string { return b.Detail }

func bad(format string, args ...any) error { return &BadContent{Detail: fmt.Sprintf(format, args...)} }

// tidy gives the content as it is kept: without spaces around texts, and with one
// form for each empty list, so that what was kept compares equal to what was sent.
func (c Content) tidy() Content {
	c.Title, c.Summary = strings.TrimSpace(c.Title), strings.TrimSpace(c.Summary)
	steps := make([]Step, len(c.Steps))
	for i, step := range c.Steps {
		steps[i] = Step{Text: strings.TrimSpace(step.Text), Minutes: step.Minutes}
	}
	c.Ingredients, c.Steps, c.Tags = trimmed(c.Ingredients), steps, trimmed(c.Tags)
	if len(c.Tags) == 0 {
		c.Tags = nil
	}
	return c
}

func trimmed(texts []string) []string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = strings.TrimSpace(text)
	}
	return all
}

// Validate refuses, with a *BadContent, what can't be kept, even as a draft.
func (c Content) Validate() error {
	if err := check("the title", c.Title, MostTitle, false); err != nil {
		return err
	}
	if err := check("the summary", c.Summary, MostSummary, true); err != nil {
		return err
	}
	switch {
	case c.Servings < 0 || c.Servings > MostServings:
		return bad("servings are from 0 (not said) to %d, not %d", MostServings, c.Servings)
	case len(c.Ingredients) > MostIngredients:
		return bad("there are %d ingredients, and %d are allowed", len(c.Ingredients), MostIngredients)
	case len(c.Steps) > MostSteps:
		return bad("there are %d steps, and %d are allowed", len(c.Steps), MostSteps)
	case len(c.Tags) > MostTags:
		return bad("there are %d tags, and %d are allowed", len(c.Tags), MostTags)
	}
	for i, ingredient := range c.Ingredients {
		if err := check(fmt.Sprintf("ingredient %d", i+1), ingredient, MostIngredient, false); err != nil {
			return err
		}
	}
	for i, step := range c.Steps {
		if err := check(fmt.Sprintf("step %d", i+1), step.Text, MostStep, true); err != nil {
			return err
		}
		if step.Minutes < 0 || step.Minutes > MostMinutes {
			return bad("step %d takes from 0 to %d minutes, not %d", i+1, MostMinutes, step.Minutes)
		}
	}
	for i, tag := range c.Tags {
		if err := check(fmt.Sprintf("tag %d", i+1), tag, MostTag, false); err != nil {
			return err
		}
	}
	return nil
}

// Complete refuses, with a *BadContent, what is not ready to be published.
func (c Content) Complete() error {
	var missing []string
	if blank(c.Title) {
		missing = append(missing, "a title")
	}
	if len(c.Ingredients) == 0 {
		missing = append(missing, "an ingredient")
	}
	if len(c.Steps) == 0 {
		missing = append(missing, "a step")
	}
	for i, ingredient := range c.Ingredients {
		if blank(ingredient) {
			missing = append(missing, fmt.Sprintf("the name of ingredient %d", i+1))
		}
	}
	for i, step := range c.Steps {
		if blank(step.Text) {
			missing = append(missing, fmt.Sprintf("what to do in step %d", i+1))
		}
	}
	if len(missing) > 0 {
		return bad("before it can be published the recipe needs %s", strings.Join(missing, ", "))
	}
	return c.Validate()
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// check holds a text to its length and to what can be seen. Only texts of several
// lines may have line feeds and tabs.
func check(what, text string, most int, lines bool) error {
	switch n := utf8.RuneCountInString(text); {
	case !utf8.ValidString(text):
		return bad("%s is not text in UTF-8", what)
	case n > most:
		return bad("%s has %d characters, and %d are allowed", what, n, most)
	}
	for _, r := range text {
		if lines && (r == '\n' || r == '\r' || r == '\t') {
			continue
		}
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return bad("%s has characters that can't be seen", what)
		}
	}
	return nil
}
