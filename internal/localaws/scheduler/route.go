package scheduler

import (
	"net/http"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

var operations = map[string]func(*DB, call) (any, error){
	"CreateSchedule": (*DB).createSchedule, "GetSchedule": (*DB).getSchedule, "UpdateSchedule": (*DB).updateSchedule,
	"DeleteSchedule": (*DB).deleteSchedule, "ListSchedules": (*DB).listSchedules,
	"CreateScheduleGroup": (*DB).createGroup, "GetScheduleGroup": (*DB).getGroup, "DeleteScheduleGroup": (*DB).deleteGroup,
	"ListScheduleGroups": (*DB).listGroups,
}

// names of operations by method, resource, and whether one is named.
var routes = map[string]string{
	"POST schedules/": "CreateSchedule", "GET schedules/": "GetSchedule", "PUT schedules/": "UpdateSchedule",
	"DELETE schedules/": "DeleteSchedule", "GET schedules": "ListSchedules",
	"POST schedule-groups/": "CreateScheduleGroup", "GET schedule-groups/": "GetScheduleGroup",
	"DELETE schedule-groups/": "DeleteScheduleGroup", "GET schedule-groups": "ListScheduleGroups",
	"GET tags/": "ListTagsForResource", "POST tags/": "TagResource", "DELETE tags/": "UntagResource",
}

// A call is one request, taken apart.
type call struct {
	name  string // of the schedule or group
	query func(name string) string
	body  []byte
}

// Operation gives the name of the operation that a request calls, by AWS's names.
func Operation(r *http.Request) string {
	resource, name, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	route := r.Method + " " + resource
	if name != "" {
		route += "/"
	}
	if operation, ok := routes[route]; ok {
		return operation
	}
	return r.Method + " " + r.URL.Path
}

// ServeHTTP answers one call.
func (db *DB) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := Operation(r)
	run, ok := operations[name]
	if !ok {
		Refuse(w, service.Unsupported(name))
		return
	}
	body, err := service.Read(w, r)
	if err != nil {
		Refuse(w, err)
		return
	}
	_, resource, _ := strings.Cut(strings.Trim(r.URL.Path, "/"), "/")
	result, err := run(db, call{name: resource, query: r.URL.Query().Get, body: body})
	if err != nil {
		Refuse(w, err)
		return
	}
	restjson.Answer(w, http.StatusOK, result)
}

func (c call) decode(into any) error { return service.Decode(c.body, into) }
