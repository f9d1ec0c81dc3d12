package recipes_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/pkg/payload"
)

// soup is a recipe that is complete.
func soup() recipes.Content {
	return recipes.Content{
		Title: "Onion soup", Servings: 4, Ingredients: []string{"3 onions", "1 l water"},
		Steps: []recipes.Step{{Text: "Cut the onions.\nDo not cry.", Minutes: 5}, {Text: "Boil them.", Minutes: 25}},
	}
}

func TestTotalMinutesIsASum(t *testing.T) {
	if got := soup().TotalMinutes(); got != 30 {
		t.Errorf("%d minutes, want 30", got)
	}
	if got := (recipes.Content{}).TotalMinutes(); got != 0 {
		t.Errorf("%d minutes for nothing", got)
	}
}

func TestWhatCanBeKept(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*recipes.Content)
		says   string // empty: it is kept
	}{
		"as it is":           {func(*recipes.Content) {}, ""},
		"nothing at all":     {func(c *recipes.Content) { *c = recipes.Content{} }, ""},
		"longest title":      {func(c *recipes.Content) { c.Title = strings.Repeat("é", 120) }, ""},
		"title too long":     {func(c *recipes.Content) { c.Title = strings.Repeat("é", 121) }, "the title has 121"},
		"title of two lines": {func(c *recipes.Content) { c.Title = "a\nb" }, "the title has characters"},
		"no text":            {func(c *recipes.Content) { c.Title = "\xff" }, "the title is not text"},
		"turned around":      {func(c *recipes.Content) { c.Summary = "\u202e" }, "the summary has characters"},
		"servings":           {func(c *recipes.Content) { c.Servings = -1 }, "servings"},
		"ingredients":        {func(c *recipes.Content) { c.Ingredients = slices.Repeat([]string{"x"}, 101) }, "101 ingredients"},
		"an ingredient":      {func(c *recipes.Content) { c.Ingredients[1] = strings.Repeat("x", 201) }, "ingredient 2"},
		"steps":              {func(c *recipes.Content) { c.Steps = make([]recipes.Step, 101) }, "101 steps"},
		"a step":             {func(c *recipes.Content) { c.Steps[1].Text = "\x00" }, "step 2"},
		"negative minutes":   {func(c *recipes.Content) { c.Steps[0].Minutes = -1 }, "step 1 takes"},
		"endless minutes":    {func(c *recipes.Content) { c.Steps[0].Minutes = 7*24*60 + 1 }, "step 1 takes"},
		"tags":               {func(c *recipes.Content) { c.Tags = slices.Repeat([]string{"x"}, 11) }, "11 tags"},
		"a tag":              {func(c *recipes.Content) { c.Tags = []string{strings.Repeat("x", 31)} }, "tag 1"},
	} {
		content := soup()
		c.change(&content)
		wants(t, name, content.Validate(), c.says)
	}
}

func TestWhatCanBePublished(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*recipes.Content)
		says   string
	}{
		"as it is":         {func(*recipes.Content) {}, ""},
		"nothing at all":   {func(c *recipes.Content) { *c = recipes.Content{} }, "a title, an ingredient, a step"},
		"blank title":      {func(c *recipes.Content) { c.Title = " \t" }, "a title"},
		"blank ingredient": {func(c *recipes.Content) { c.Ingredients[1] = "" }, "ingredient 2"},
		"blank step":       {func(c *recipes.Content) { c.Steps[0].Text = "\n" }, "step 1"},
		"too much":         {func(c *recipes.Content) { c.Servings = 1001 }, "servings"},
	} {
		content := soup()
		c.change(&content)
		wants(t, name, content.Complete(), c.says)
	}
}

func wants(t *testing.T, name string, err error, says string) {
	t.Helper()
	var bad *recipes.BadContent
	if says == "" && err != nil || says != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Detail, says)) {
		t.Errorf("%s: %v, want %q", name, err, says)
	}
}

// Whatever is kept comes back from JSON as it is, and is tidy.
func FuzzContent(f *testing.F) {
	f.Add([]byte(`{"title":" Soup ","ingredients":["onions"],"steps":[{"text":"Boil.","minutes":5}],"tags":[]}`))
	f.Add([]byte(`{"title":"","steps":null}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		sent, err := payload.Decode[recipes.Written](body)
		if err != nil {
			return
		}
		content, err := recipes.Tidy(sent.Content)
		if err != nil {
			return
		}
		data, err := payload.Encode(content)
		if err != nil {
			t.Fatal(err)
		}
		back, err := payload.Decode[recipes.Content](data)
		if err != nil {
			t.Fatal(err)
		}
		again, err := recipes.Tidy(back)
		if err != nil || !reflect.DeepEqual(again, content) {
			t.Errorf("%+v came back as %+v (%v)", content, again, err)
		}
		if content.TotalMinutes() < 0 || content.TotalMinutes() > recipes.MostSteps*recipes.MostMinutes {
			t.Errorf("it takes %d minutes", content.TotalMinutes())
		}
	})
}
