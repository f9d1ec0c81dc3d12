package s3

import (
	"encoding/xml"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	bolt "go.etcd.io/bbolt"
)

// A corsRule is one of a bucket's CORS configuration; see
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html.
type corsRule struct {
	ID             string   `xml:",omitempty" json:"id,omitempty"`
	AllowedHeaders []string `xml:"AllowedHeader" json:"allowed_headers,omitempty"`
	AllowedMethods []string `xml:"AllowedMethod" json:"allowed_methods"`
	AllowedOrigins []string `xml:"AllowedOrigin" json:"allowed_origins"`
	ExposeHeaders  []string `xml:"ExposeHeader" json:"expose_headers,omitempty"`
	MaxAgeSeconds  *int     `xml:",omitempty" json:"max_age_seconds,omitempty"`
}

type corsConfiguration struct {
	XMLName xml.Name   `xml:"CORSConfiguration"`
	Xmlns   string     `xml:"xmlns,attr,omitempty"`
	Rules   []corsRule `xml:"CORSRule"`
}

var corsMethods = []string{"GET", "PUT", "HEAD", "POST", "DELETE"}

const maxRules = 100

func (r corsRule) check() error {
	if len(r.AllowedMethods) == 0 || len(r.AllowedOrigins) == 0 {
		return malformedXML()
	}
	for _, method := range r.AllowedMethods {
		if !slices.Contains(corsMethods, method) {
			return refuse(http.StatusBadRequest, "InvalidRequest", "Found unsupported HTTP method in CORS config. Unsupported method is %s", method)
		}
	}
	for _, origin := range r.AllowedOrigins {
		if strings.Count(origin, "*") > 1 {
			return refuse(http.StatusBadRequest, "InvalidRequest", "AllowedOrigin %q can not have more than one wildcard.", origin)
		}
	}
	for _, header := range r.AllowedHeaders {
		if strings.Count(header, "*") > 1 {
			return refuse(http.StatusBadRequest, "InvalidRequest", "AllowedHeader %q can not have more than one wildcard.", header)
		}
	}
	for _, header := range r.ExposeHeaders {
		if strings.Contains(header, "*") {
			return refuse(http.StatusBadRequest, "InvalidRequest", "ExposeHeader %q contains wildcard. We currently do not support wildcard for ExposeHeader.", header)
		}
	}
	return nil
}

func (db *DB) putBucketCORS(c *call) error {
	doc, err := c.document()
	if err != nil {
		return err
	}
	var in corsConfiguration
	if xml.Unmarshal(doc, &in) != nil || len(in.Rules) == 0 || len(in.Rules) > maxRules {
		return malformedXML()
	}
	for _, rule := range in.Rules {
		if err := rule.check(); err != nil {
			return err
		}
	}
	return db.setCORS(c.bucket, in.Rules)
}

func (db *DB) setCORS(bucket string, rules []corsRule) error {
	return db.change(func(tx *bolt.Tx) ([]string, error) {
		b, err := bucketOf(tx, bucket)
		if err != nil {
			return nil, err
		}
		b.CORS = rules
		return nil, putJSON(tx, bucketsBucket, []byte(bucket), b)
	})
}

func (db *DB) getBucketCORS(c *call) error {
	b, err := db.record(c.bucket)
	if err != nil {
		return err
	}
	if len(b.CORS) == 0 {
		return refuse(http.StatusNotFound, "NoSuchCORSConfiguration", "The CORS configuration does not exist")
	}
	return c.answerXML(corsConfiguration{Xmlns: namespace, Rules: b.CORS})
}

func (db *DB) deleteBucketCORS(c *call) error {
	err := db.setCORS(c.bucket, nil)
	if err == nil {
		c.w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// wildcard matches a text against a pattern with at most one star.
func wildcard(pattern, text string) bool {
	before, after, star := strings.Cut(pattern, "*")
	if !star {
		return pattern == text
	}
	return len(text) >= len(before)+len(after) && strings.HasPrefix(text, before) && strings.HasSuffix(text, after)
}

// matchRule finds the first rule that allows a request, and its pattern that
// fits the origin.
func matchRule(rules []corsRule, origin, method string, headers []string) (*corsRule, string) {
	for i, rule := range rules {
		at := slices.IndexFunc(rule.AllowedOrigins, func(p string) bool { return wildcard(p, origin) })
		if at < 0 || !slices.Contains(rule.AllowedMethods, method) {
			continue
		}
		allowed := func(header string) bool {
			return slices.ContainsFunc(rule.AllowedHeaders, func(p string) bool { return wildcard(strings.ToLower(p), header) })
		}
		if !slices.ContainsFunc(headers, func(h string) bool { return !allowed(h) }) {
			return &rules[i], rule.AllowedOrigins[at]
		}
	}
	return nil, ""
}

// show sets the headers by which a browser lets its page have the answer.
func (r *corsRule) show(h http.Header, origin, pattern string) {
	if pattern == "*" {
		h.Set("Access-Control-Allow-Origin", "*")
	} else {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Allow-Credentials", "true")
	}
	h.Set("Access-Control-Allow-Methods", strings.Join(r.AllowedMethods, ", "))
	if len(r.ExposeHeaders) > 0 {
		h.Set("Access-Control-Expose-Headers", strings.Join(r.ExposeHeaders, ", "))
	}
	if r.MaxAgeSeconds != nil {
		h.Set("Access-Control-Max-Age", strconv.Itoa(*r.MaxAgeSeconds))
	}
	h.Set("Vary", "Origin, Access-Control-Request-Headers, Access-Control-Request-Method")
}

// allowOrigin adds the CORS headers to the answer of a real request that a rule
// allows. A request that none allows is answered without them.
func (db *DB) allowOrigin(c *call) error {
	origin := c.r.Header.Get("Origin")
	if origin == "" || c.bucket == "" {
		return nil
	}
	b, err := db.record(c.bucket)
	var refusal *Error
	if errors.As(err, &refusal) {
		return nil // the call itself will say so, to whom it may
	} else if err != nil {
		return err
	}
	if rule, pattern := matchRule(b.CORS, origin, c.r.Method, nil); rule != nil {
		rule.show(c.w.Header(), origin, pattern)
	}
	return nil
}

// preflight answers a browser's question (OPTIONS).
func (db *DB) preflight(c *call) error {
	origin, method := c.r.Header.Get("Origin"), c.r.Header.Get("Access-Control-Request-Method")
	if origin == "" {
		return refuse(http.StatusBadRequest, "BadRequest", "Insufficient information. Origin request header needed.")
	}
	if !slices.Contains(corsMethods, method) {
		return refuse(http.StatusBadRequest, "BadRequest", "Invalid Access-Control-Request-Method: %s", method)
	}
	var headers []string
	for name := range strings.SplitSeq(c.r.Header.Get("Access-Control-Request-Headers"), ",") {
		if name = strings.ToLower(strings.TrimSpace(name)); name != "" {
			headers = append(headers, name)
		}
	}
	b, err := db.record(c.bucket)
	if err != nil {
		return err
	}
	if len(b.CORS) == 0 {
		return refuse(http.StatusForbidden, "AccessForbidden", "CORSResponse: CORS is not enabled for this bucket.")
	}
	rule, pattern := matchRule(b.CORS, origin, method, headers)
	if rule == nil {
		return refuse(http.StatusForbidden, "AccessForbidden", "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.")
	}
	rule.show(c.w.Header(), origin, pattern)
	if len(headers) > 0 {
		c.w.Header().Set("Access-Control-Allow-Headers", strings.Join(headers, ", "))
	}
	c.w.WriteHeader(http.StatusOK)
	return nil
}
