package ddb_test

import (
	"encoding/json"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// All expressions of one request share a scope, so that a placeholder may be
// used by any of them.
func ExampleScope() {
	scope, err := ddb.NewScope(map[string]string{"#s": "state"}, ddb.Item{":queued": ddb.S("queued"), ":running": ddb.S("running"), ":one": ddb.Int(1)})
	if err != nil {
		fmt.Println(err)
		return
	}
	condition, err := scope.Condition("#s = :queued")
	if err != nil {
		fmt.Println(err)
		return
	}
	update, err := scope.Update("SET #s = :running ADD attempts :one")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := scope.Unused(); err != nil {
		fmt.Println(err)
		return
	}
	job := ddb.Item{"state": ddb.S("queued")}
	holds, err := condition.Eval(job)
	fmt.Println(holds, err)
	job, err = update.Apply(job)
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(job)
	fmt.Println(string(text), err)
	// Output:
	// true <nil>
	// {"attempts":{"N":"1"},"state":{"S":"running"}} <nil>
}
