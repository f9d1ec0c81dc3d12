package httpapi

// SentBytes is for the fuzz test.
var SentBytes = sentBytes
