package localaws

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/nightshift-go/nightshift/internal/localaws/awsjson"
	"github.com/nightshift-go/nightshift/internal/localaws/cloudwatch"
	"github.com/nightshift-go/nightshift/internal/localaws/s3"
	"github.com/nightshift-go/nightshift/internal/localaws/scheduler"
	"github.com/nightshift-go/nightshift/internal/localaws/ses"
)

// ServeHTTP answers one call: of CloudWatch by its path, of a JSON service by its X-Amz-Target, of a
// service with the query protocol by its Action, of another by the service name
// in the signature, and all else as S3.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.serveOwn(w, r) {
		return
	}
	if operation := cloudwatch.Operation(r); operation != "" {
		s.serveCloudWatch(w, r, operation)
		return
	}
	if prefix, operation := awsjson.OperationOf(r); prefix != "" {
		s.serveJSON(w, r, prefix, operation)
		return
	}
	service := signedService(r)
	if action := queryAction(w, r); action != "" && service != "s3" {
		s.serveQuery(w, r, service, action)
		return
	}
	if service == "ses" && ses.Serves(r.URL.Path) {
		s.serveSES(w, r)
		return
	}
	if service == "lambda" {
		s.serveLambda(w, r)
		return
	}
	if service == "scheduler" {
		s.serve(w, r, service, scheduler.Operation(r), s.scheduler, func(w http.ResponseWriter, f *Fault) {
			scheduler.Refuse(w, f.refusal())
		})
		return
	}
	if service != "" && service != "s3" {
		s.count(service, r.Method+" "+r.URL.Path)
		unsupported(service, r.Method+" "+r.URL.Path).write(w)
		return
	}
	s.serve(w, r, "s3", s3.Operation(r), s.s3, func(w http.ResponseWriter, f *Fault) {
		(&s3.Error{Code: f.Code, Message: f.message(), Status: f.status()}).Write(w, r)
	})
}

func (s *Server) serveJSON(w http.ResponseWriter, r *http.Request, prefix, operation string) {
	service := s.services[prefix]
	if service == nil {
		name := signedService(r)
		if name == "" {
			name = prefix
		}
		s.count(name, operation)
		unsupported(name, operation).write(w)
		return
	}
	name := strings.ToLower(service.Name)
	s.serve(w, r, name, operation, service, func(w http.ResponseWriter, f *Fault) {
		service.Refuse(w, &awsjson.Error{Code: f.Code, Message: f.message(), Status: f.status(), QueryCode: f.Code})
	})
}

// serve counts a call and hands it on, unless it shall go wrong.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, service, operation string, h http.Handler, refuse func(http.ResponseWriter, *Fault)) {
	s.count(service, operation)
	defer s.hold(operation)()
	s.cfg.Logger.DebugContext(r.Context(), "call", "service", service, "operation", operation)
	var f *Fault
	if s.cfg.Fault != nil {
		f = s.cfg.Fault(service, operation, r)
	}
	if f == nil {
		h.ServeHTTP(w, r)
		return
	}
	f.inflict(w, r, h, refuse)
}

var scopePattern = regexp.MustCompile(`Credential=[^/,\s]+/\d{8}/[^/,\s]+/([a-z0-9-]+)/aws4_request`)

// signedService gives the service in a SigV4 credential scope, of the header or
// of a presigned URL; "" for an unsigned request.
func signedService(r *http.Request) string {
	signed := r.Header.Get("Authorization")
	if credential := r.URL.Query().Get("X-Amz-Credential"); credential != "" {
		signed = "Credential=" + credential
	}
	if m := scopePattern.FindStringSubmatch(signed); m != nil {
		return m[1]
	}
	return ""
}
