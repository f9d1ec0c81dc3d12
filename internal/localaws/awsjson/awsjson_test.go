package awsjson

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestService(t *testing.T) {
	type input struct{ Name string }
	type output struct{ Greeting, Base string }
	s := &Service{Name: "Test", Prefix: "Test_1", Namespace: "com.test", Version: "1.0", Operations: map[string]Operation{
		"Greet": Handle(func(ctx context.Context, in *input) (*output, error) {
			return &output{"hi " + in.Name, BaseURL(ctx)}, nil
		}),
		"Empty": Handle(func(context.Context, *input) (*output, error) { return nil, nil }),
		"Refuse": Handle(func(context.Context, *input) (*output, error) {
			return nil, &Error{Code: "Typed", Message: "m", QueryCode: "Old.Typed", Fields: map[string]any{"Item": 1}}
		}),
		"Fail": Handle(func(context.Context, *input) (*output, error) { return nil, errors.New("disk") }),
	}}
	for _, c := range []struct {
		operation, body string
		status          int
		want            string
	}{
		{"Greet", `{"Name":"you"}`, 200, `{"Greeting":"hi you","Base":"http://example.com"}`},
		{"Greet", ``, 200, `{"Greeting":"hi ","Base":"http://example.com"}`},
		{"Empty", `{}`, 200, `{}`},
		{"Refuse", `{}`, 400, `{"Item":1,"__type":"com.test#Typed","message":"m"}`},
		{"Fail", `{}`, 500, `{"__type":"com.test#InternalFailure","message":"disk"}`},
		{"Greet", `{"Name":7}`, 400, `"__type":"com.test#SerializationException"`},
		{"Nope", `{}`, 400, `"__type":"com.test#UnknownOperationException","message":"Test: the local endpoint does not support the operation \"Nope\""`},
		{"Greet", strings.Repeat(" ", MaxBody+1), 413, `RequestEntityTooLargeException`},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(c.body))
		r.Header.Set("X-Amz-Target", "Test_1."+c.operation)
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s", c.operation, w.Code, w.Body)
		}
		if c.operation == "Refuse" && w.Header().Get("X-Amzn-Query-Error") != "Old.Typed;Sender" {
			t.Errorf("query error %q", w.Header().Get("X-Amzn-Query-Error"))
		}
	}
}
