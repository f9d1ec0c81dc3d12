// Package ddb is DynamoDB's data model without DynamoDB: values, items, their
// JSON form, their order and size, and the four expression languages
// (condition and filter, update, projection, key condition).
//
// It stores nothing and needs no AWS SDK. The local DynamoDB endpoint and the
// in-memory store driver both stand on it, so that a test without a network
// and a test against the endpoint judge an expression by the same code.
//
// Values and items are immutable by convention: whoever holds one may read it
// from any goroutine, and nobody changes a map or a slice that was handed over.
// Everything here follows
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.html
package ddb
