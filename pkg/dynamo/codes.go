package dynamo

import (
	"strings"

	"github.com/nightshift-go/nightshift/pkg/store"
)

// kindOf gives the sentinel of an error code, or nil.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
func kindOf(code, message string) error {
	switch code {
	case "ProvisionedThroughputExceededException", "ThrottlingException", "ThrottlingError",
		"ProvisionedThroughputExceeded", "RequestLimitExceeded", "LimitExceededException":
		return store.ErrThrottled
	case "TransactionConflictException", "TransactionConflict", "TransactionInProgressException":
		return store.ErrConflict
	case "ItemCollectionSizeLimitExceeded", "ItemCollectionSizeLimitExceededException":
		return store.ErrTooLarge
	case "ValidationException", "ValidationError":
		if strings.Contains(message, "size has exceeded") || strings.Contains(message, "size to update has exceeded") {
			return store.ErrTooLarge
		}
		return store.ErrInvalid
	}
	return nil
}
