package pdfs_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/nightshift-go/nightshift/internal/crumb/objects"
	"github.com/nightshift-go/nightshift/internal/crumb/pdfs"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/rows/rowstest"
	"github.com/nightshift-go/nightshift/internal/crumb/tasks"
	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/lifecycle"
	"github.com/nightshift-go/nightshift/pkg/nightshifttest"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

func soup() recipes.Recipe {
	return recipes.Recipe{
		ID: "soup", State: recipes.Published, Version: 3, AuthorName: "Zoë Żółć", ChangedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Content: recipes.Content{
			Title: "Crème brûlée & ½ Σούπα 🍲", Summary: "Борщ, as my grandmother made it.", Servings: 4,
			Ingredients: []string{"1 l of stock", "2 onions"},
			Steps:       []recipes.Step{{Text: "Cut the onions.\nCry.", Minutes: 5}, {Text: "Boil.", Minutes: 40}},
		},
	}
}

func picture(t testing.TB) []byte { return pictureOf(t, 40, 30) }

func pictureOf(t testing.TB, width, height int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := jpeg.Encode(&out, image.NewRGBA(image.Rect(0, 0, width, height)), nil); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// The same recipe is the same file, whenever it is made.
func TestTheSameBytes(t *testing.T) {
	photo := &pdfs.Photo{Data: picture(t), Format: "jpg"}
	first, pages, err := pdfs.Render(soup(), photo)
	if err != nil || pages != 1 || !bytes.HasPrefix(first, []byte("%PDF-")) {
		t.Fatalf("%d pages, %v", pages, err)
	}
	for i := range 10 {
		again, _, err := pdfs.Render(soup(), photo)
		if err != nil || !bytes.Equal(again, first) {
			t.Fatalf("time %d: the bytes differ, or %v", i+2, err)
		}
	}
}

// A photo of any shape leaves room for the recipe; one that can't be read is an error.
func TestShapesOfPhotos(t *testing.T) {
	for _, size := range [][2]int{{1, 1080}, {300, 1080}, {1080, 1080}, {1080, 1}} {
		if _, pages, err := pdfs.Render(soup(), &pdfs.Photo{Data: pictureOf(t, size[0], size[1]), Format: "jpg"}); err != nil || pages != 1 {
			t.Errorf("%v: %d pages, %v", size, pages, err)
		}
	}
	if _, _, err := pdfs.Render(soup(), &pdfs.Photo{Data: []byte("x"), Format: "jpg"}); err == nil {
		t.Error("what is no photo was printed")
	}
}

func TestManyPages(t *testing.T) {
	long := soup()
	for i := range 200 {
		long.Steps = append(long.Steps, recipes.Step{Text: fmt.Sprint("Stir again, round ", i, ".")})
	}
	if _, pages, err := pdfs.Render(long, nil); err != nil || pages < 3 {
		t.Errorf("%d pages, %v", pages, err)
	}
}

// What a reader for the blind, or a search, finds in it is the text itself.
func TestTheTextIsThere(t *testing.T) {
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("SKIPPED: there is no pdftotext here to read the PDF with")
	}
	data, _, err := pdfs.Render(soup(), nil)
	if err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/soup.pdf"
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command(tool, file, "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Crème brûlée", "Σούπα", "Борщ", "by Zoë Żółć", "45 minutes", "serves 4", "Cry."} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add("Soup", "1 onion", "Boil.")
	f.Add("🍲\x00\xff", "\u202e\u0300", strings.Repeat("x", 5000))
	f.Fuzz(func(t *testing.T, title, ingredient, step string) {
		r := recipes.Recipe{Content: recipes.Content{Title: title, Ingredients: []string{ingredient}, Steps: []recipes.Step{{Text: step}}}}
		if _, pages, err := pdfs.Render(r, nil); err != nil || pages < 1 {
			t.Errorf("%d pages, %v", pages, err)
		}
	})
}

// A shelf is a bucket in memory.
type shelf map[string][]byte

func (s shelf) Get(_ context.Context, key string, _ int64) ([]byte, string, error) {
	data, ok := s[key]
	if !ok {
		return nil, "", objects.ErrMissing
	}
	return data, "", nil
}

func (s shelf) Put(_ context.Context, key string, data []byte, _, _ string) error {
	s[key] = data
	return nil
}

func TestPrint(t *testing.T) {
	kit := nightshifttest.New(t, nightshifttest.Config{Tables: rowstest.Tables(), Duplicates: true}, tasks.Print)
	table := rowstest.Of(t, kit)
	recipe := soup()
	recipe.PhotoKey = "uploads/everyone/abc"
	held := recipe
	held.ID, held.State = "held", recipes.Held
	for _, r := range []recipes.Recipe{recipe, held} {
		if err := table.Change().Put(recipes.Key(r.ID), r, "", nil).Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	bucket := shelf{"photos/abc/medium.jpg": picture(t)}
	kit.Serve(worker.HandleResult(tasks.Print, pdfs.NewPrinter(table, bucket).Print))
	print := func(recipe string, version int) job.ID {
		of := tasks.PrintRecipe{Recipe: recipe, Version: version}
		id, err := kit.Producer.Enqueue(t.Context(), tasks.Print.With(of), job.Unique(of.Key()))
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	id, same, newer := print("soup", 2), print("soup", 2), print("soup", 3)
	if same != id || newer == id {
		t.Errorf("two readers wait for %s and %s; the next version is %s", id, same, newer)
	}
	kit.RunAll(t.Context())
	// It was asked for as version 2, and is version 3 by now.
	got := nightshifttest.Result[tasks.PDF](kit, id)
	if want := (tasks.PDF{Key: "pdfs/soup/3.pdf", URL: "/api/recipes/soup/pdf?version=3", Bytes: len(bucket["pdfs/soup/3.pdf"]), Pages: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	for _, gone := range []string{"held", "nothing"} {
		id := print(gone, 1)
		kit.RunAll(t.Context())
		kit.WantState(id, lifecycle.Dead)
		if rec := kit.Record(id); rec.Error.Code != "gone" {
			t.Errorf("%s: %+v", gone, rec.Error)
		}
	}
}
