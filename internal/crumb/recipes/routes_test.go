package recipes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/nightshift-go/nightshift/internal/crumb/publishtest"
	"github.com/nightshift-go/nightshift/internal/crumb/readers"
	"github.com/nightshift-go/nightshift/internal/crumb/recipes"
	"github.com/nightshift-go/nightshift/internal/crumb/sessions"
	"github.com/nightshift-go/nightshift/internal/crumb/site"
	"github.com/nightshift-go/nightshift/pkg/store"
	"github.com/nightshift-go/nightshift/pkg/store/memstore"
)

// A desk is the API of a world, with whoever is signed in before it.
type desk struct {
	t      *testing.T
	api    *site.Site
	cookie string
}

func deskOf(t *testing.T, w *publishtest.World) *desk {
	t.Helper()
	signed, err := sessions.New([]byte("0123456789abcdef0123456789abcdef"), w.Kit.Now)
	if err != nil {
		t.Fatal(err)
	}
	api, err := site.New(site.Config{Sessions: signed})
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := readers.New(readers.Config{Table: w.Table, Now: w.Kit.Now, Cost: readers.Cost{Memory: 16, Passes: 1, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.Recipes.Readers = accounts
	tries, err := readers.NewTries(readers.TriesConfig{Driver: memstore.New(memstore.Config{}), Now: w.Kit.Now})
	if err != nil {
		t.Fatal(err)
	}
	readers.NewAPI(accounts, signed, tries, nil).Register(api)
	recipes.NewAPI(w.Recipes, signed).Register(api)
	return &desk{t: t, api: api}
}

// send gives the answer to a request; a cookie that comes with it is kept.
func (d *desk) send(method, path, body string) events.APIGatewayV2HTTPResponse {
	d.t.Helper()
	e := events.APIGatewayV2HTTPRequest{Body: body, Headers: map[string]string{"content-type": "application/json"}}
	e.RawPath, e.RawQueryString, _ = strings.Cut(path, "?")
	e.RequestContext.HTTP.Method = method
	if d.cookie != "" {
		e.Cookies = []string{d.cookie}
	}
	answer, err := d.api.Invoke(d.t.Context(), e)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, cookie := range answer.Cookies {
		d.cookie, _, _ = strings.Cut(cookie, ";")
	}
	return answer
}

// wants sends a request and holds the answer to a status, and to the name of the
// problem if there is one.
func (d *desk) wants(status int, problem, method, path, body string) events.APIGatewayV2HTTPResponse {
	d.t.Helper()
	answer := d.send(method, path, body)
	var told struct{ Type, Detail string }
	if answer.Body != "" {
		if err := json.Unmarshal([]byte(answer.Body), &told); err != nil {
			d.t.Fatalf("%s %s: %v in %q", method, path, err, answer.Body)
		}
	}
	if answer.StatusCode != status || problem != "" && (told.Type != "urn:crumb:problem:"+problem || told.Detail == "") {
		d.t.Errorf("%s %s: %d %s, want %d %s", method, path, answer.StatusCode, answer.Body, status, problem)
	}
	return answer
}

const soupJSON = `"title":"Onion soup","ingredients":["3 onions"],"steps":[{"text":"Boil.","minutes":25}]`

func TestRequestsOfReaders(t *testing.T) {
	d := deskOf(t, world(t))
	d.wants(401, "signed-out", "GET", "/api/me", "")
	d.wants(422, "bad-input", "POST", "/api/readers", `{"name":"Bob","email":"bob","password":"onions and more"}`)
	d.wants(400, "malformed-body", "POST", "/api/readers", `{"name":"Bob","mail":"bob@example.com"}`)
	d.wants(201, "", "POST", "/api/readers", `{"name":"Bob","email":"bob@example.com","password":"onions and more"}`)
	if answer := d.wants(200, "", "GET", "/api/me", ""); strings.Contains(answer.Body, "argon2") || !strings.Contains(answer.Body, `"unread":0`) {
		t.Errorf("Bob is told %s", answer.Body)
	}
	d.wants(409, "address-taken", "POST", "/api/readers", `{"name":"Eve","email":"BOB@example.com","password":"onions and more"}`)
	d.wants(204, "", "PUT", "/api/cooks/"+ada+"/follow", `{"notify":true}`)
	d.wants(404, "not-found", "PUT", "/api/cooks/nobody/follow", `{"notify":true}`)
	if answer := d.wants(200, "", "GET", "/api/cooks/"+ada, ""); !strings.Contains(answer.Body, `"followers":1,"following":true`) {
		t.Errorf("Ada is %s", answer.Body)
	}
	d.wants(204, "", "DELETE", "/api/cooks/"+ada+"/follow", "")
	d.wants(204, "", "DELETE", "/api/sessions", "")
	d.wants(401, "signed-out", "GET", "/api/me", "")
	d.wants(401, "wrong-credentials", "POST", "/api/sessions", `{"email":"bob@example.com","password":"wrong"}`)
	d.wants(200, "", "POST", "/api/sessions", `{"email":"bob@example.com","password":"onions and more"}`)
}

func TestRequestsForRecipes(t *testing.T) {
	w := world(t)
	d := deskOf(t, w)
	adas := w.Publish(soup())
	d.wants(401, "signed-out", "POST", "/api/recipes", `{`+soupJSON+`}`)
	d.wants(201, "", "POST", "/api/readers", `{"name":"Bob","email":"bob@example.com","password":"onions and more"}`)
	d.wants(422, "bad-recipe", "POST", "/api/recipes", `{"title":"x","servings":-1,"ingredients":[],"steps":[]}`)
	d.wants(422, "bad-recipe", "POST", "/api/recipes", `{"photo_key":"soup.jpg",`+soupJSON+`}`)

	var draft recipes.Recipe
	if err := json.Unmarshal([]byte(d.wants(201, "", "POST", "/api/recipes", `{`+soupJSON+`}`).Body), &draft); err != nil {
		t.Fatal(err)
	}
	path := "/api/recipes/" + draft.ID
	if answer := d.wants(200, "", "GET", "/api/me/recipes", ""); !strings.Contains(answer.Body, draft.ID) {
		t.Errorf("Bob's drafts are %s", answer.Body)
	}
	answer := d.wants(202, "", "POST", path+"/publish", "")
	if answer.Headers["Location"] != path || !strings.Contains(answer.Body, `"search":"queued"`) {
		t.Errorf("published: %+v", answer)
	}
	d.wants(200, "", "PUT", path, `{"version":2,`+soupJSON+`}`)
	if answer := d.wants(409, "changed-meanwhile", "PUT", path, `{"version":2,"title":"Leek soup","ingredients":["leek"],"steps":[{"text":"Boil."}]}`); !strings.Contains(answer.Body, `"version":3`) {
		t.Errorf("the conflict is with %s", answer.Body)
	}
	d.wants(403, "not-yours", "PUT", "/api/recipes/"+adas.ID, `{"version":2,`+soupJSON+`}`)
	d.wants(403, "not-yours", "DELETE", "/api/recipes/"+adas.ID, "")
	d.wants(200, "", "PUT", "/api/recipes/"+adas.ID+"/rating", `{"stars":4}`)
	d.wants(422, "bad-recipe", "PUT", "/api/recipes/"+adas.ID+"/rating", `{"stars":9}`)
	d.wants(400, "bad-cursor", "GET", "/api/recipes?after=x", "")
	d.wants(400, "bad-cursor", "GET", "/api/cooks/"+ada+"?after=!", "")
	d.wants(204, "", "DELETE", path, "")
	d.wants(404, "not-found", "GET", path, "")
	w.Recipes.Photos = shut{}
	full := d.wants(http.StatusServiceUnavailable, "queue-full", "POST", "/api/recipes", `{"photo_key":"`+photo+`",`+soupJSON+`}`)
	if full.Headers["Retry-After"] != "60" {
		t.Errorf("come back after %q", full.Headers["Retry-After"])
	}
}

// Many who change one row at once wait for each other, and are asked to come back
// where that takes too long.
func TestContentionIsNoFailure(t *testing.T) {
	var p *site.Problem
	if !errors.As(recipes.Problem(fmt.Errorf("%w: rating soup", recipes.ErrBusy)), &p) || p.Status != 503 || p.RetryAfter != time.Second {
		t.Errorf("it is told as %+v", p)
	}
	if err := recipes.Problem(store.ErrInvalid); err != store.ErrInvalid {
		t.Errorf("a fault of ours is told as %v", err)
	}
}
