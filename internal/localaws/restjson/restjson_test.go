package restjson

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func testService() *Service {
	return &Service{
		Name: "Bakery", MaxBody: 8, BadRequest: "ValidationException", Fault: "InternalFailure",
		Document: func(e *Error) any { return map[string]string{"message": e.Message} },
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		err    error
		status int
		code   string
		body   string
	}{
		{"a refusal", Errorf(http.StatusConflict, "ConflictException", "%s is there", "bread"), 409, "ConflictException", `{"message":"bread is there"}`},
		{"a wrapped one", fmt.Errorf("baking: %w", Errorf(http.StatusNotFound, "NotFoundException", "no flour")), 404, "NotFoundException", `{"message":"no flour"}`},
		{"the service's own fault", errors.New("the oven is cold"), 500, "InternalFailure", `{"message":"the oven is cold"}`},
		{"what it does not have", testService().Unsupported("Fry"), 501, "UnknownOperationException", `{"message":"Bakery: the local endpoint does not support the operation Fry."}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			testService().Refuse(w, c.err)
			if w.Code != c.status || w.Header().Get("X-Amzn-Errortype") != c.code || w.Body.String() != c.body {
				t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
			}
		})
	}
}

func TestReadAndDecode(t *testing.T) {
	for _, c := range []struct{ body, says string }{
		{"", ""},
		{`{"n":1}`, ""},
		{`{"m":1}`, `unknown field "m"`},
		{`{"n"`, "does not take this request"},
		{`{"n":12}`, ""},
		{`{"n":123}`, "request body too large"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		body, err := testService().Read(httptest.NewRecorder(), r)
		if err == nil {
			err = testService().Decode(body, &struct{ N int }{})
		}
		var refused *Error
		if (err == nil) != (c.says == "") || err != nil && (!errors.As(err, &refused) || refused.Status != 400 || refused.Code != "ValidationException" || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%q: %v, want %q", c.body, err, c.says)
		}
	}
}

func TestAnswer(t *testing.T) {
	w := httptest.NewRecorder()
	Answer(w, http.StatusAccepted, nil)
	if w.Code != 202 || w.Body.String() != "{}" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
	w = httptest.NewRecorder()
	if Answer(w, http.StatusOK, math.NaN()); w.Code != 500 || !strings.Contains(w.Body.String(), "encoding the answer") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
