package mail

import (
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/nightshift-go/nightshift/pkg/job"
)

// How long to wait where SES wants a pause.
const (
	// afterRate is for mails that came too fast.
	afterRate = 5 * time.Second
	// afterQuota is for what passes only when a quota has room again, or people
	// have done something: a day's mails are sent, the account may not send.
	afterQuota = 15 * time.Minute
)

// A Refused error tells that SES will never take this mail.
type Refused struct{ Err error }

// Error gives SES's words.
func (e *Refused) Error() string { return fmt.Sprintf("mail: SES refused it: %v", e.Err) }

// Unwrap gives SES's error.
func (e *Refused) Unwrap() error { return e.Err }

// ErrorCode is the code of the job's error.
func (e *Refused) ErrorCode() string { return "mail-refused" }

// verdict says what becomes of the job, by SES's error.
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html#API_SendEmail_Errors
func verdict(err error) error {
	wrapped := fmt.Errorf("mail: sending: %w", err)
	switch {
	case is[*types.TooManyRequestsException](err):
		return job.RetryAfter(afterRate, wrapped)
	case is[*types.LimitExceededException](err), is[*types.SendingPausedException](err), is[*types.AccountSuspendedException](err),
		is[*types.MailFromDomainNotVerifiedException](err): // ours, and so every mail's
		return job.RetryAfter(afterQuota, wrapped)
	case is[*types.MessageRejected](err), is[*types.BadRequestException](err):
		return job.Fail(&Refused{err})
	}
	return wrapped
}

func is[E error](err error) bool {
	var e E
	return errors.As(err, &e)
}
