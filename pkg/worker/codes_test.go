package worker_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/nightshift-go/nightshift/pkg/job"
	"github.com/nightshift-go/nightshift/pkg/worker"
)

// What AWS says names roles and tables. Clients are shown errors that have a code of
// the handler's, so AWS's own must not pass for one.
func TestErrorsOfAWSHaveNoCodeForClients(t *testing.T) {
	denied := &smithy.OperationError{ServiceID: "DynamoDB", OperationName: "PutItem", Err: &smithy.GenericAPIError{
		Code: "AccessDeniedException", Message: "User: arn:aws:sts::123456789012:assumed-role/worker is not authorized",
	}}
	for name, c := range map[string]struct {
		err  error
		code string
	}{
		"as it came":               {denied, job.DefaultErrorCode},
		"for good":                 {job.Fail(fmt.Errorf("storing: %w", denied)), job.DefaultErrorCode},
		"typed":                    {&types.ResourceNotFoundException{}, job.DefaultErrorCode},
		"within one of one's own":  {ownCode{denied}, "shelf_full"},
		"around one of one's own":  {fmt.Errorf("%w (%w)", ownCode{context.Canceled}, denied), "shelf_full"},
		"wrapped by the toolkit's": {job.Fail(ownCode{fmt.Errorf("storing: %w", denied)}), "shelf_full"},
	} {
		w := newWorld(t, notes(nil), worker.Handle(task(notes(nil)), func(context.Context, *job.Job[note]) error { return c.err }))
		id := w.enqueue("a", nil)
		w.deliver(message(id))
		if rec := w.get(id); rec.Error == nil || rec.Error.Code != c.code {
			t.Errorf("%s: the job's error is %+v", name, rec.Error)
		}
	}
}

type ownCode struct{ error }

func (ownCode) ErrorCode() string { return "shelf_full" }
func (e ownCode) Unwrap() error   { return e.error }
