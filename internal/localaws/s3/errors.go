package s3

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"net/http"
)

// An Error is a refusal in S3's shape; see
// https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html.
type Error struct {
	XMLName xml.Name `xml:"Error"`
	// Code is what programs decide on: "NoSuchKey".
	Code string
	// Message is for people.
	Message string
	// Status is the HTTP status.
	Status int `xml:"-"`

	Key        string `xml:",omitempty"`
	BucketName string `xml:",omitempty"`
	RequestID  string `xml:"RequestId"`
	details
}

// details are members of single kinds of errors.
type details struct {
	Expires          string `xml:",omitempty"`
	ServerTime       string `xml:",omitempty"`
	HeadersNotSigned string `xml:",omitempty"`
	Condition        string `xml:",omitempty"`
	StringToSign     string `xml:",omitempty"`
	CanonicalRequest string `xml:",omitempty"`
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func refuse(status int, code, format string, args ...any) *Error {
	return &Error{Code: code, Status: status, Message: fmt.Sprintf(format, args...)}
}

func notImplemented(format string, args ...any) *Error {
	return refuse(http.StatusNotImplemented, "NotImplemented", "A header or operation you provided implies functionality that is not implemented: "+format, args...)
}

func invalidArgument(format string, args ...any) *Error {
	return refuse(http.StatusBadRequest, "InvalidArgument", format, args...)
}

func malformedXML() *Error {
	return refuse(http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
}

func noSuchBucket() *Error {
	return refuse(http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist")
}

func noSuchKey() *Error {
	return refuse(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
}

func noSuchUpload() *Error {
	return refuse(http.StatusNotFound, "NoSuchUpload", "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.")
}

func preconditionFailed(condition string) *Error {
	e := refuse(http.StatusPreconditionFailed, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
	e.Condition = condition
	return e
}

// fail answers with an error; one that is no *Error is an InternalError.
func (c *call) fail(err error) {
	var e *Error
	if !errors.As(err, &e) {
		e = refuse(http.StatusInternalServerError, "InternalError", "%v", err)
	}
	shown := *e
	shown.BucketName, shown.Key = c.bucket, c.key
	shown.Write(c.w, c.r)
}

// Write answers a request with the error.
func (e *Error) Write(w http.ResponseWriter, r *http.Request) {
	shown := *e
	shown.RequestID = w.Header().Get("X-Amz-Request-Id")
	if e.Status == http.StatusNotModified {
		w.WriteHeader(e.Status)
		return
	}
	body, err := xml.Marshal(shown)
	if err != nil {
		http.Error(w, "s3: encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(e.Status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(append([]byte(xml.Header), body...)) // the caller is gone: nobody is left to tell
	}
}

// answerXML answers with a document.
func (c *call) answerXML(document any) error {
	body, err := xml.Marshal(document)
	if err != nil {
		return fmt.Errorf("s3: encoding the answer: %w", err)
	}
	c.w.Header().Set("Content-Type", "application/xml")
	_, _ = c.w.Write(append([]byte(xml.Header), body...)) // as above
	return nil
}

// newID makes a random name.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (Go 1.24 on)
	return hex.EncodeToString(b[:])
}
