package cloudwatch

import "github.com/nightshift-go/nightshift/internal/localaws/awsjson"

// refuse makes an error by its shape's name; queries are SDKs that know the older name.
func refuse(shape, query, format string, args ...any) *awsjson.Error {
	e := awsjson.Errorf(shape, format, args...)
	e.QueryCode = query
	return e
}

func invalid(format string, args ...any) *awsjson.Error {
	return refuse("InvalidParameterValueException", "InvalidParameterValue", format, args...)
}

func contradiction(format string, args ...any) *awsjson.Error {
	return refuse("InvalidParameterCombinationException", "InvalidParameterCombination", format, args...)
}

func missing(parameter string) *awsjson.Error {
	return refuse("MissingRequiredParameterException", "MissingParameter", "The parameter %s is required.", parameter)
}
