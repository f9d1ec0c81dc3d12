package scheduler

import (
	"net/http"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

// service is Scheduler's manner. An input of 256 KB is more when it is escaped.
var service = restjson.Service{
	Name: "Scheduler", MaxBody: 2 << 20, BadRequest: "ValidationException", Fault: "InternalServerException",
	Document: func(e *restjson.Error) any { return map[string]string{"Message": e.Message} },
}

// Refuse answers with an error.
func Refuse(w http.ResponseWriter, err error) { service.Refuse(w, err) }

func invalid(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusBadRequest, "ValidationException", format, args...)
}

func conflict(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusConflict, "ConflictException", format, args...)
}

func notFound(format string, args ...any) *restjson.Error {
	return restjson.Errorf(http.StatusNotFound, "ResourceNotFoundException", format, args...)
}
