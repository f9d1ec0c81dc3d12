package sns

import (
	"bytes"
	"crypto/rand"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
)

const namespace = "http://sns.amazonaws.com/doc/2010-03-31/"

// An Error is a refusal in AWS's shape.
// https://docs.aws.amazon.com/sns/latest/api/CommonErrors.html
type Error struct {
	// Code is the error's name: "InvalidParameter".
	Code string
	// Message is for people.
	Message string
	// Status is the HTTP status; zero means 400.
	Status int
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// invalidParameter is the refusal of a parameter, with a reason or none.
func invalidParameter(name, reason string, args ...any) *Error {
	message := "Invalid parameter: " + name
	if reason != "" {
		message += " " + fmt.Sprintf(reason, args...)
	}
	return &Error{Code: "InvalidParameter", Message: message}
}

func notFound(what string) *Error {
	return &Error{Code: "NotFound", Message: what + " does not exist", Status: http.StatusNotFound}
}

func (e *Error) sender() bool { return e.Status < http.StatusInternalServerError }

// asError gives an error as AWS shows it; what is no refusal is a failure of the
// service.
func asError(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Code: "InternalError", Message: err.Error(), Status: http.StatusInternalServerError}
	}
	return e
}

// Write answers with an error.
func Write(w http.ResponseWriter, err error) {
	e := asError(err)
	status := e.Status
	if status == 0 {
		status = http.StatusBadRequest
	}
	document := struct {
		XMLName xml.Name `xml:"http://sns.amazonaws.com/doc/2010-03-31/ ErrorResponse"`
		Error   struct{ Type, Code, Message string }
		ID      string `xml:"RequestId"`
	}{ID: newID()}
	document.Error.Type, document.Error.Code, document.Error.Message = "Sender", e.Code, e.Message
	if !e.sender() {
		document.Error.Type = "Receiver"
	}
	body, _ := xml.Marshal(document) // strings always encode
	write(w, status, body)
}

// answer encodes a result, nil for none.
func answer(w http.ResponseWriter, operation string, result any) {
	var body bytes.Buffer
	e := xml.NewEncoder(&body)
	root := xml.StartElement{Name: xml.Name{Local: operation + "Response"}, Attr: []xml.Attr{{Name: xml.Name{Local: "xmlns"}, Value: namespace}}}
	errs := []error{e.EncodeToken(root)}
	if result != nil {
		errs = append(errs, e.EncodeElement(result, xml.StartElement{Name: xml.Name{Local: operation + "Result"}}))
	}
	metadata := struct {
		XMLName xml.Name `xml:"ResponseMetadata"`
		ID      string   `xml:"RequestId"`
	}{ID: newID()}
	errs = append(errs, e.Encode(metadata), e.EncodeToken(root.End()), e.Flush())
	if err := errors.Join(errs...); err != nil {
		Write(w, fmt.Errorf("sns: encoding the answer: %w", err))
		return
	}
	write(w, http.StatusOK, body.Bytes())
}

func write(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone: nobody is left to tell
}

// entry is one of a map of strings.
type entry struct {
	Key   string `xml:"key"`
	Value string `xml:"value"`
}

// attributes is a map of strings on the wire.
type attributes struct {
	Entries []entry `xml:"Attributes>entry"`
}

func asEntries(all map[string]string) *attributes {
	a := &attributes{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a.Entries = append(a.Entries, entry{name, all[name]})
	}
	return a
}

// newID makes a random UUID.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails (Go 1.24 on)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
