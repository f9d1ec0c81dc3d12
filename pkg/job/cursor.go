package job

import (
	"encoding/json"
	"fmt"
)

// Cursor reads what the run before saved with Continue. ok is false in the first
// run of a job. A cursor that does not decode into a C is an error: the type
// changed while jobs were under way.
func Cursor[C, A any](j *Job[A]) (cursor C, ok bool, err error) {
	if len(j.cursor) == 0 {
		return cursor, false, nil
	}
	if err := json.Unmarshal(j.cursor, &cursor); err != nil {
		return cursor, false, fmt.Errorf("job: reading the cursor of %s: %w", j.ID, err)
	}
	return cursor, true, nil
}

// Token is the lease's token: the condition of every write that belongs to this
// attempt. Packages that write on behalf of a handler (such as worker.Commit)
// need it; handlers do not.
func Token[A any](j *Job[A]) string { return j.token }
