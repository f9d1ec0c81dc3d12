package imports

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
)

// short is an item as "line: data" or "line! what is wrong".
func short(items []item) (all []string) {
	for _, i := range items {
		if i.bad != "" {
			all = append(all, fmt.Sprintf("%d! %s", i.line, i.bad))
		} else {
			all = append(all, fmt.Sprintf("%d: %s", i.line, i.data))
		}
	}
	return all
}

const soup = `{"@type":"Recipe","name":"Soup"}`

func TestSplit(t *testing.T) {
	for name, c := range map[string]struct {
		kind, file string
		want       []string
	}{
		"lines": {tasks.ImportLines, "\ufeff{\"title\":\"A\"}\r\n\n  {\"title\":\"B\"}\n[1]\n{\"title\n", []string{
			`1: {"title":"A"}`, `3: {"title":"B"}`, "4! it is not an object: a recipe stands in { }",
			"5! it is not JSON: unexpected end of JSON input at byte 7",
		}},
		"no lines":          {tasks.ImportLines, "\n\n", nil},
		"type with charset": {tasks.ImportLines + "; charset=utf-8", `{}`, []string{"1: {}"}},
		"one document":      {tasks.ImportDocument, "\n\n" + soup, []string{"3: " + soup}},
		"an array":          {tasks.ImportDocument, "[\n" + soup + ",\n\n" + soup + ", 7]", []string{"2: " + soup, "4: " + soup, "4! it is not an object: a recipe stands in { }"}},
		"a graph": {tasks.ImportDocument, "{\"@context\":\"https://schema.org\",\n\"@graph\":[{\"@type\":\"WebPage\"},\n" + soup + "]}",
			[]string{"3: " + soup}},
		"something else": {tasks.ImportDocument, `{"@type":"Person"}`, nil},
		"broken":         {tasks.ImportDocument, `{"@type":`, []string{"1! it is not JSON: unexpected end of JSON input at byte 9"}},
		"a page": {tasks.ImportPage, "<html>\n<script>var x = '{}'</script>\n<script type='application/ld+json'>\n" + soup + "\n</script>\n" +
			"<script type=\"application/ld+json; charset=utf-8\">[" + soup + "]</script>", []string{"4: " + soup, "6: " + soup}},
	} {
		items, err := split([]byte(c.file), c.kind, MaxItems)
		if got := short(items); err != nil || fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s:\n%q, %v, want\n%q", name, got, err, c.want)
		}
	}
}

// What stands in a page behind a document, more than a reader buffers, is not written
// over it.
func TestAPageOfSomeLength(t *testing.T) {
	page := "<script type='application/ld+json'>" + soup + "</script>" + strings.Repeat("<p>something else</p>\n", 5000)
	items, err := split([]byte(page), tasks.ImportPage, MaxItems)
	if got := short(items); err != nil || len(got) != 1 || got[0] != "1: "+soup {
		t.Errorf("%q, %v", got, err)
	}
}

// What no job could be given is the fault of its line alone.
func TestJSONThatNoJobTakes(t *testing.T) {
	for _, text := range []string{"{\"title\":\"Cr\xe8me\"}", `{"title":"A","title":"B"}`, `{"title":"\ud800"}`} {
		items, err := split([]byte(`{"title":"A"}`+"\n"+text), tasks.ImportLines, MaxItems)
		if err != nil || len(items) != 2 || items[0].bad != "" || items[1].bad == "" {
			t.Errorf("%q: %q, %v", text, short(items), err)
		}
	}
}

// As many recipes as there may be, and not one more: of a file with far more only these
// are gone through.
func TestHowManyRecipesAFileHas(t *testing.T) {
	const most = 50
	for kind, file := range map[string]func(n int) string{
		tasks.ImportLines:    func(n int) string { return strings.Repeat("{}\n", n) },
		tasks.ImportDocument: func(n int) string { return "[" + strings.Repeat("\n{},", n-1) + "\n{}]" },
		tasks.ImportPage: func(n int) string {
			return strings.Repeat("<script type='application/ld+json'>"+soup+"</script>\n", n)
		},
	} {
		items, err := split([]byte(file(most)), kind, most)
		if err != nil || len(items) != most || items[most-1].line < most {
			t.Errorf("%s: %d of %d, %v", kind, len(items), most, err)
		}
		if items, err = split([]byte(file(10*most)), kind, most); !errors.Is(err, errMany) || len(items) != most+1 {
			t.Errorf("%s, too many: %d, %v", kind, len(items), err)
		}
	}
}

func TestNoFileOfRecipes(t *testing.T) {
	for kind, file := range map[string]string{"image/png": "x", "": "{}", "no type": "{}", tasks.ImportPage: "<p>Soup"} {
		if items, err := split([]byte(file), kind, MaxItems); err == nil {
			t.Errorf("%q: %v", kind, items)
		}
	}
	large := `{"title":"` + strings.Repeat("x", MaxItem) + `"}`
	if items, err := split([]byte(large), tasks.ImportLines, MaxItems); err != nil || len(items) != 1 || items[0].bad == "" {
		t.Errorf("a recipe too large: %v, %v", items, err)
	}
}

func TestContents(t *testing.T) {
	full := `{"@context":"https://schema.org","@type":["Recipe","Thing"],"name":"Mom&#39;s <b>Soup</b>","description":"Warm.",
		"recipeYield":["4","4 servings"],"recipeIngredient":["1 onion","salt &amp; pepper"],"keywords":"Soup, winter,soup",
		"recipeInstructions":[{"@type":"HowToSection","name":"First","itemListElement":[{"@type":"HowToStep","text":"Cut."}]},{"@type":"HowToStep","text":"Boil."}]}`
	for name, c := range map[string]struct {
		data string
		want recipes.Content
	}{
		"of Schema.org": {full, recipes.Content{
			Title: "Mom's Soup", Summary: "Warm.", Servings: 4, Ingredients: []string{"1 onion", "salt & pepper"},
			Steps: []recipes.Step{{Text: "Cut."}, {Text: "Boil."}}, Tags: []string{"soup", "winter"},
		}},
		"instructions as a text": {`{"@type":"http://schema.org/Recipe","name":"Tea","recipeYield":2,"recipeInstructions":"Boil water.<br>Wait.\n\nDrink."}`,
			recipes.Content{Title: "Tea", Servings: 2, Ingredients: []string{}, Steps: []recipes.Step{{Text: "Boil water."}, {Text: "Wait."}, {Text: "Drink."}}}},
		"of Crumb": {`{"title":" Bread ","ingredients":["flour"],"steps":[{"text":"Bake.","minutes":40}]}`,
			recipes.Content{Title: "Bread", Ingredients: []string{"flour"}, Steps: []recipes.Step{{Text: "Bake.", Minutes: 40}}}},
	} {
		got, err := contentOf([]byte(c.data))
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
	}
}

func TestBadContents(t *testing.T) {
	for data, says := range map[string]string{
		`{"@type":"Recipe"}`:                                      "title",
		`{"@type":"Recipe","name":"Soup"}`:                        "neither ingredients nor steps",
		`{"title":"Soup","colour":"red"}`:                         "colour",
		`{"title":7}`:                                             "neither a recipe of Schema.org nor one of Crumb's",
		`{"title":"` + strings.Repeat("x", 121) + `","steps":[]}`: "title",
	} {
		if _, err := contentOf([]byte(data)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: %v, want something of %q", data, err, says)
		}
	}
}

// Whatever a file holds: every item has a line of the file, and is an object or says
// what is wrong; and what is kept of it can be kept.
func FuzzSplit(f *testing.F) {
	f.Add([]byte(soup+"\n{"), 0)
	f.Add([]byte("["+soup+"]"), 1)
	f.Add([]byte("<script type=application/ld+json>"+soup), 2)
	f.Fuzz(func(t *testing.T, data []byte, kind int) {
		items, err := split(data, []string{tasks.ImportLines, tasks.ImportDocument, tasks.ImportPage}[uint(kind)%3], MaxItems)
		if err != nil {
			return
		}
		lines := 1 + strings.Count(string(data), "\n")
		for _, i := range items {
			if i.line < 1 || i.line > lines || (i.bad == "") != (len(i.data) > 0 && i.data[0] == '{' && json.Valid(i.data)) {
				t.Fatalf("%+v of %d lines", i, lines)
			}
			if i.bad == "" {
				if content, err := contentOf(i.data); err == nil && content.Validate() != nil {
					t.Fatalf("%s became %+v", i.data, content)
				}
			}
		}
	})
}
