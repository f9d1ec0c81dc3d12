package sqs

import (
	"errors"
	"fmt"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
)

var errClosed = errors.New("sqs: the store is closed")

// refuse makes an error whose code is the same in both of SQS's protocols.
func refuse(code, format string, args ...any) *awsjson.Error {
	return &awsjson.Error{Code: code, QueryCode: code, Message: fmt.Sprintf(format, args...)}
}

// legacy makes an error whose code was another in the query protocol; the SDKs
// show that one.
func legacy(code, query, format string, args ...any) *awsjson.Error {
	return &awsjson.Error{Code: code, QueryCode: "AWS.SimpleQueueService." + query, Message: fmt.Sprintf(format, args...)}
}

func noSuchQueue() *awsjson.Error {
	return legacy("QueueDoesNotExist", "NonExistentQueue", "The specified queue does not exist.")
}

func missingParameter(name string) *awsjson.Error {
	return refuse("MissingParameter", "The request must contain the parameter %s.", name)
}

func invalidParameter(name string, value any, reason string, args ...any) *awsjson.Error {
	return refuse("InvalidParameterValue", "Value %v for parameter %s is invalid. Reason: %s", value, name, fmt.Sprintf(reason, args...))
}

func invalidAttribute(name, value string, reason string, args ...any) *awsjson.Error {
	return refuse("InvalidAttributeValue", "Invalid value %q for the attribute %s. Reason: %s", value, name, fmt.Sprintf(reason, args...))
}

func invalidHandle() *awsjson.Error {
	return refuse("ReceiptHandleIsInvalid", "The input receipt handle is invalid.")
}

// asRefusal gives an error as AWS shows it; what is no refusal is a failure of
// the service.
func asRefusal(err error) (code, message string, sender bool) {
	var e *awsjson.Error
	if !errors.As(err, &e) {
		return "InternalError", err.Error(), false
	}
	return e.QueryCode, e.Message, true
}
