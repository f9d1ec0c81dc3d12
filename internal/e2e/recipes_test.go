package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
)

// A person is a browser with somebody before it.
type person struct {
	t      *testing.T
	client *http.Client
	reader readers.Reader
}

// nobody is a browser in which nobody is signed in.
func nobody(t *testing.T) *person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t: t, client: &http.Client{Jar: jar}}
}

const password = "correct horse battery"

// newcomer signs up.
func newcomer(t *testing.T, name string) *person {
	t.Helper()
	p := nobody(t)
	address := strings.ToLower(name) + "." + strings.ToLower(strings.ReplaceAll(t.Name(), "/", ".")) + "@example.com"
	p.reader = told[readers.Reader](p, http.StatusCreated, "POST", "/api/readers", readers.Newcomer{Name: name, Email: address, Password: password})
	return p
}

// does sends a request and gives the answer, whose status has to be as wanted.
func (p *person) does(status int, method, path string, in any) []byte {
	p.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		p.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(p.t.Context(), method, crumb.HTTPURL()+path, bytes.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	if response.StatusCode != status {
		p.t.Fatalf("%s %s: answered %d, want %d: %s", method, path, response.StatusCode, status, answer)
	}
	return answer
}

// told is does for an answer in JSON.
func told[T any](p *person, status int, method, path string, in any) (out T) {
	p.t.Helper()
	if err := json.Unmarshal(p.does(status, method, path, in), &out); err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return out
}

// soup is a recipe that is complete.
func soup(title string) recipes.Written {
	return recipes.Written{Content: recipes.Content{
		Title: title, Servings: 4, Ingredients: []string{"3 onions", "1 l water"},
		Steps: []recipes.Step{{Text: "Cut the onions.", Minutes: 5}, {Text: "Boil them.", Minutes: 25}}, Tags: []string{"soup"},
	}}
}

// published drafts and publishes a recipe.
func (p *person) published(in recipes.Written) recipes.Recipe {
	p.t.Helper()
	draft := told[recipes.Recipe](p, http.StatusCreated, "POST", "/api/recipes", in)
	return told[recipes.Publication](p, http.StatusAccepted, "POST", "/api/recipes/"+draft.ID+"/publish", nil).Recipe
}

// TestAccount signs up, out and in again.
func TestAccount(t *testing.T) {
	ada := newcomer(t, "Ada")
	credentials := readers.Credentials{Email: strings.ToUpper(ada.reader.Email), Password: password}
	ada.does(http.StatusNoContent, "DELETE", "/api/sessions", nil)
	ada.does(http.StatusUnauthorized, "GET", "/api/me", nil)
	if me := told[readers.Me](ada, http.StatusOK, "POST", "/api/sessions", credentials); me.ID != ada.reader.ID {
		t.Errorf("signed in as %+v", me)
	}
	if me := told[readers.Me](ada, http.StatusOK, "GET", "/api/me", nil); me.Name != "Ada" || me.Newsletter {
		t.Errorf("after signing in: %+v", me)
	}
	ada.does(http.StatusConflict, "POST", "/api/readers", readers.Newcomer{Name: "Eve", Email: credentials.Email, Password: password})
	wrong := ada.does(http.StatusUnauthorized, "POST", "/api/sessions", readers.Credentials{Email: credentials.Email, Password: "something else"})
	unknown := ada.does(http.StatusUnauthorized, "POST", "/api/sessions", readers.Credentials{Email: "x" + credentials.Email, Password: password})
	if !bytes.Equal(wrong, unknown) {
		t.Errorf("a wrong password is answered %s, an unknown address %s", wrong, unknown)
	}
}

// TestRecipeFromDraftToDeletion goes the whole way of a recipe.
func TestRecipeFromDraftToDeletion(t *testing.T) {
	ada, bob, stranger := newcomer(t, "Ada"), newcomer(t, "Bob"), nobody(t)
	draft := told[recipes.Recipe](ada, http.StatusCreated, "POST", "/api/recipes", soup("Onion soup"))
	path := "/api/recipes/" + draft.ID
	bob.does(http.StatusNotFound, "GET", path, nil)

	publication := told[recipes.Publication](ada, http.StatusAccepted, "POST", path+"/publish", nil)
	if r := publication.Recipe; r.State != recipes.Published || r.Version != 2 {
		t.Errorf("published as %+v", r)
	}
	profile := told[recipes.Profile](ada, http.StatusOK, "GET", "/api/cooks/"+ada.reader.ID, nil)
	if len(profile.Recipes) != 1 || profile.Recipes[0].ID != draft.ID || profile.Recipes[0].Progress == nil || len(profile.Unpublished) != 0 {
		t.Errorf("the profile right after: %+v", profile)
	}
	if v := told[recipes.View](stranger, http.StatusOK, "GET", path, nil); v.TotalMinutes != 30 || v.Progress != nil {
		t.Errorf("a stranger sees %+v", v)
	}

	for _, stars := range []int{2, 4, 4} {
		told[recipes.Rating](bob, http.StatusOK, "PUT", path+"/rating", recipes.Stars{Stars: stars})
	}
	rating := told[recipes.Rating](ada, http.StatusOK, "PUT", path+"/rating", recipes.Stars{Stars: 5})
	if rating != (recipes.Rating{Average: 4.5, Count: 2, Mine: 5}) {
		t.Errorf("rated %+v", rating)
	}

	better := soup("Better onion soup")
	edited := told[recipes.Recipe](ada, http.StatusOK, "PUT", path, recipes.Edited{Version: 2, Written: better})
	conflict := told[struct{ Current recipes.Recipe }](ada, http.StatusConflict, "PUT", path, recipes.Edited{Version: 2, Written: soup("Worse")})
	if edited.Version != 3 || conflict.Current.Version != 3 || conflict.Current.Title != better.Title {
		t.Errorf("edited to %+v; in conflict with %+v", edited, conflict.Current)
	}
	bob.does(http.StatusForbidden, "DELETE", path, nil)
	ada.does(http.StatusNoContent, "DELETE", path, nil)
	ada.does(http.StatusNotFound, "GET", path, nil)
	for _, card := range told[recipes.Cards](stranger, http.StatusOK, "GET", "/api/recipes", nil).Recipes {
		if card.ID == draft.ID {
			t.Error("the deleted recipe is still among the newest")
		}
	}
}

// TestNewest pages through what was published.
func TestNewest(t *testing.T) {
	ada := newcomer(t, "Ada")
	var want []string
	for i := range 3 {
		want = append([]string{ada.published(soup(fmt.Sprintf("Soup %d", i))).ID}, want...)
	}
	cards := told[recipes.Cards](nobody(t), http.StatusOK, "GET", "/api/recipes", nil)
	var got []string
	for _, card := range cards.Recipes {
		if card.Author == ada.reader.ID {
			got = append(got, card.ID)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || cards.Next == "" {
		t.Errorf("listed %v, want %v", got, want)
	}
	ada.does(http.StatusOK, "GET", "/api/recipes?after="+cards.Next, nil)
	ada.does(http.StatusBadRequest, "GET", "/api/recipes?after=yesterday", nil)
}
