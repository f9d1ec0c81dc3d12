package httpapi

import "github.com/nightshift-go/nightshift/pkg/store"

// Show gives a job as GET /jobs/{id} does, for applications that tell of their
// jobs in answers of their own. Of an error, clients see what was written for them
// (job.Coded); the words of others stay in the row. A result that lies in an
// object is left out. It may be used by many goroutines.
func Show(rec store.Record) Job { return view(rec) }
