package localaws

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/sns"
)

// maxForm is what is read of a query-protocol body, in bytes: a message of 1 MiB,
// each byte escaped, is the largest.
const maxForm = 8 << 20

// queryAction gives the Action of a call of the query protocol, "" for another
// call. It leaves the body to be read again.
func queryAction(w http.ResponseWriter, r *http.Request) string {
	if r.Method != http.MethodPost || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded") {
		return r.URL.Query().Get("Action")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return ""
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return ""
	}
	return form.Get("Action")
}

// serveQuery answers the calls of SNS and the one call of STS that the aws command
// and the SDKs make by themselves, and refuses all others.
func (s *Server) serveQuery(w http.ResponseWriter, r *http.Request, service, action string) {
	if service == "" {
		service = "unknown"
	}
	if service == "sns" && sns.Serves(action) {
		s.serve(w, r, service, action, s.sns, func(w http.ResponseWriter, f *Fault) {
			sns.Write(w, &sns.Error{Code: f.Code, Message: f.message(), Status: f.status()})
		})
		return
	}
	if service != "sts" || action != "GetCallerIdentity" {
		s.count(service, action)
		unsupported(service, action).writeXML(w)
		return
	}
	s.serve(w, r, service, action, http.HandlerFunc(s.callerIdentity), func(w http.ResponseWriter, f *Fault) {
		refusal{Code: f.Code, Message: f.message(), Status: f.status()}.writeXML(w)
	})
}

func (s *Server) callerIdentity(w http.ResponseWriter, _ *http.Request) {
	account := s.cfg.AccountID
	if account == "" {
		account = "000000000000"
	}
	w.Header().Set("Content-Type", "text/xml")
	_, _ = fmt.Fprintf(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>arn:aws:iam::%[1]s:root</Arn><UserId>%[1]s</UserId><Account>%[1]s</Account></GetCallerIdentityResult><ResponseMetadata><RequestId>local</RequestId></ResponseMetadata></GetCallerIdentityResponse>`, account)
}

// A refusal is an error outside of the services that are supported.
type refusal struct {
	XMLName xml.Name `xml:"Error" json:"-"`
	Type    string   `json:"-"`
	Code    string   `json:"__type"`
	Message string   `json:"message"`
	Status  int      `xml:"-" json:"-"`
}

// unsupported refuses a call that nobody here answers.
func unsupported(service, operation string) refusal {
	message := fmt.Sprintf("The local endpoint does not support the operation %q of the service %q.", operation, service)
	return refusal{Code: "UnknownOperationException", Message: message, Status: http.StatusNotImplemented}
}

// write answers in the JSON shape that both of AWS's JSON protocols read.
func (e refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", e.Code)
	w.WriteHeader(e.Status)
	_ = json.NewEncoder(w).Encode(e) // the caller is gone: nobody is left to tell
}

// writeXML answers in the shape of the query protocol.
func (e refusal) writeXML(w http.ResponseWriter) {
	e.Type = "Sender"
	if e.Status >= 500 {
		e.Type = "Receiver"
	}
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(e.Status)
	_ = xml.NewEncoder(w).Encode(struct { // as above
		XMLName xml.Name `xml:"ErrorResponse"`
		Error   refusal
	}{Error: e})
}
