package localaws

import (
	"net/http"
	"time"

	"github.com/nightshift-go/nightshift/internal/localaws/restjson"
)

// A Fault makes a call go wrong. Its parts apply in the order of its fields.
type Fault struct {
	// Delay holds the call back this long before anything else.
	Delay time.Duration
	// Code refuses the call with this error code, which is not carried out:
	// "ThrottlingException", "InternalServerError".
	Code string
	// Message goes with Code; "" means one that says that it was asked for.
	Message string
	// Status is the HTTP status of a refusal; 0 means 400.
	Status int
	// Drop carries the call out and then breaks the connection instead of
	// answering.
	Drop bool
}

func (f *Fault) message() string {
	if f.Message != "" {
		return f.Message
	}
	return "This fault was asked for."
}

func (f *Fault) status() int {
	if f.Status == 0 {
		return http.StatusBadRequest
	}
	return f.Status
}

// refusal is the fault as an error of the services that speak REST-JSON.
func (f *Fault) refusal() *restjson.Error {
	return &restjson.Error{Code: f.Code, Message: f.message(), Status: f.status()}
}

// inflict carries a call out as the fault says.
func (f *Fault) inflict(w http.ResponseWriter, r *http.Request, h http.Handler, refuse func(http.ResponseWriter, *Fault)) {
	if f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
			return
		}
	}
	if f.Code != "" {
		refuse(w, f)
		return
	}
	if f.Drop {
		h.ServeHTTP(&nowhere{}, r)
		panic(http.ErrAbortHandler) // net/http closes the connection and logs nothing
	}
	h.ServeHTTP(w, r)
}

// nowhere takes an answer that nobody gets.
type nowhere struct{ header http.Header }

func (n *nowhere) Header() http.Header {
	if n.header == nil {
		n.header = http.Header{}
	}
	return n.header
}
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }
func (n *nowhere) WriteHeader(int)             {}
