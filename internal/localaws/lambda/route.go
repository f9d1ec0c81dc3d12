package lambda

import (
	"context"
	"net/http"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

// prefix is the path of the mappings.
const prefix = "/2015-03-31/event-source-mappings"

// service is Lambda's manner: its errors tell whose fault they are.
var service = restjson.Service{
	Name: "Lambda", MaxBody: 1 << 20, BadRequest: "InvalidRequestContentException", Fault: "ServiceException",
	Document: func(e *restjson.Error) any {
		kind := "User"
		if e.Status >= http.StatusInternalServerError {
			kind = "Server"
		}
		return map[string]string{"Type": kind, "Message": e.Message, "message": e.Message}
	},
}

// An operation is what a request can ask for.
type operation struct {
	run    func(*DB, context.Context, call) (any, error)
	status int
}

var operations = map[string]operation{
	"GetEventSourceMapping":    {(*DB).get, http.StatusOK},
	"ListEventSourceMappings":  {(*DB).list, http.StatusOK},
	"UpdateEventSourceMapping": {(*DB).change, http.StatusAccepted},
}

// names of operations by method and whether a mapping is named.
var routes = map[string]string{
	"GET": "ListEventSourceMappings", "POST": "CreateEventSourceMapping",
	"GET /": "GetEventSourceMapping", "PUT /": "UpdateEventSourceMapping", "DELETE /": "DeleteEventSourceMapping",
}

// A call is one request, taken apart.
type call struct {
	uuid  string
	query func(name string) string
	body  []byte
}

// Operation gives the name of the operation that a request calls, by AWS's names.
func Operation(r *http.Request) string {
	if rest, ok := strings.CutPrefix(strings.TrimSuffix(r.URL.Path, "/"), prefix); ok {
		route := r.Method
		if rest != "" {
			route += " /"
		}
		if name, ok := routes[route]; ok {
			return name
		}
	}
	return r.Method + " " + r.URL.Path
}

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := Operation(r)
	asked, ok := operations[name]
	if !ok {
		Refuse(w, service.Unsupported(name))
		return
	}
	body, err := service.Read(w, r)
	if err != nil {
		Refuse(w, err)
		return
	}
	uuid := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(r.URL.Path, "/"), prefix), "/")
	result, err := asked.run(db, r.Context(), call{uuid, r.URL.Query().Get, body})
	if err != nil {
		Refuse(w, err)
		return
	}
	restjson.Answer(w, asked.status, result)
}

func (c call) decode(into any) error { return service.Decode(c.body, into) }

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, err error) { service.Refuse(w, err) }

func invalid(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusBadRequest, "ValidationException", format, args...)
}

func invalidParameter(message string) *restjson.Error {
	return restjson.Errorf(http.StatusBadRequest, "InvalidParameterValueException", "%s", message)
}

func inUse(message string) *restjson.Error {
	return restjson.Errorf(http.StatusBadRequest, "ResourceInUseException", "%s", message)
}

func notFound(message string) *restjson.Error {
	return restjson.Errorf(http.StatusNotFound, "ResourceNotFoundException", "%s", message)
}
