package ddb

import "fmt"

// A ValidationError is what DynamoDB answers as ValidationException: a request
// that is wrong in itself or does not fit the item. Message is AWS's wording
// where that is known.
type ValidationError struct {
	// Message is for people.
	Message string
}

// Error gives the message.
func (e *ValidationError) Error() string { return e.Message }

// Invalidf makes a ValidationError.
func Invalidf(format string, args ...any) *ValidationError {
	return &ValidationError{Message: fmt.Sprintf(format, args...)}
}
