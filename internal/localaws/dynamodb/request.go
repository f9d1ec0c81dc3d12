package dynamodb

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nightshift-go/nightshift/internal/ddb"
	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

// operation decodes a request, runs it and gives refusals AWS's shape. A
// member that the request type does not know is refused by name: to ignore it
// would be a wrong success.
func operation[In any, Out any](run func(*In) (Out, error)) awsjson.Operation {
	return func(_ context.Context, body []byte) (any, error) {
		in := new(In)
		if err := json.Unmarshal(body, in, json.RejectUnknownMembers(true)); err != nil {
			return nil, refuseRequest(err)
		}
		out, err := run(in)
		if err != nil {
			return nil, refuse(err)
		}
		return out, nil
	}
}

func refuseRequest(err error) error {
	var invalid *ddb.ValidationError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &invalid):
		return refuse(err)
	case errors.Is(err, json.ErrUnknownName) && errors.As(err, &semantic):
		return invalidf("the local endpoint does not support the parameter %s", strings.TrimPrefix(string(semantic.JSONPointer), "/"))
	default:
		return awsjson.Errorf("SerializationException", "the request is not of the expected form: %v", err)
	}
}

// refuse turns a mistake of the caller into AWS's error; other errors stay.
func refuse(err error) error {
	var invalid *ddb.ValidationError
	if errors.As(err, &invalid) {
		return invalidf("%s", invalid.Message)
	}
	return err
}

func invalidf(format string, args ...any) *awsjson.Error {
	return awsjson.Errorf("ValidationException", format, args...)
}

// oneOf checks an enumeration; empty means the default.
func oneOf(parameter, value string, allowed ...string) error {
	if value == "" {
		return nil
	}
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return invalidf("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: Member must satisfy enum value set: [%s]", value, parameter, strings.Join(allowed, ", "))
}

// expressions are the placeholders of a request.
type expressions struct {
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues ddb.Item
}

// parse makes a scope, lets read parse the request's expressions in it and
// checks that all placeholders are used. given tells whether the request has
// expressions at all.
func (e *expressions) parse(given bool, read func(*ddb.Scope) error) error {
	if !given {
		switch {
		case e.ExpressionAttributeNames != nil:
			return invalidf("ExpressionAttributeNames can only be specified when using expressions")
		case e.ExpressionAttributeValues != nil:
			return invalidf("ExpressionAttributeValues can only be specified when using expressions")
		}
		return nil
	}
	scope, err := ddb.NewScope(e.ExpressionAttributeNames, e.ExpressionAttributeValues)
	if err != nil {
		return err
	}
	if err := read(scope); err != nil {
		return err
	}
	return scope.Unused()
}

// optional parses an expression that may be absent.
func optional[T any](expr *string, parse func(string) (*T, error)) (*T, error) {
	if expr == nil {
		return nil, nil
	}
	return parse(*expr)
}
