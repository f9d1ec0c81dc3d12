package s3

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	stampForm  = "20060102T150405Z"
	maxExpires = 7 * 24 * 60 * 60 // seconds
	maxAhead   = 15 * time.Minute // of a signature's time
)

// authorize lets in what is signed: by header with any signature, by query with
// a right one that is not over.
func (db *DB) authorize(c *call) error {
	header := c.r.Header.Get("Authorization")
	inQuery := c.query.Has("X-Amz-Signature") || c.query.Has("X-Amz-Algorithm") || c.query.Has("X-Amz-Credential")
	switch {
	case inQuery && header != "":
		return invalidArgument("Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified")
	case inQuery:
		c.presigned = true
		return db.verify(c)
	case c.query.Has("Signature") || header != "" && !strings.HasPrefix(header, "AWS4-"):
		return refuse(http.StatusBadRequest, "InvalidRequest", "The authorization mechanism you have provided is not supported. Please use %s.", algorithm)
	case header == "":
		return accessDenied("Access Denied")
	}
	return nil
}

func accessDenied(message string) *Error {
	return refuse(http.StatusForbidden, "AccessDenied", "%s", message)
}

// A presignature is what a presigned URL says of its signature.
type presignature struct {
	scope     string // date/region/s3/aws4_request
	stamp     string
	signed    time.Time
	expires   int // seconds
	headers   []string
	signature string
}

var errPresign = errors.New("malformed presigned URL")

// parsePresign reads the parameters of
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html.
func parsePresign(query url.Values) (p presignature, err error) {
	for _, name := range []string{"X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Signature", "X-Amz-Date", "X-Amz-SignedHeaders", "X-Amz-Expires"} {
		if len(query[name]) != 1 || query.Get(name) == "" {
			//lint:ignore ST1005 AWS words it so
			return p, fmt.Errorf("%w: Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature, X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.", errPresign)
		}
	}
	if query.Get("X-Amz-Algorithm") != algorithm {
		return p, fmt.Errorf("%w: X-Amz-Algorithm only supports %q", errPresign, algorithm)
	}
	p.stamp, p.signature = query.Get("X-Amz-Date"), query.Get("X-Amz-Signature")
	if p.signed, err = time.Parse(stampForm, p.stamp); err != nil {
		return p, fmt.Errorf("%w: X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"", errPresign)
	}
	p.expires, err = strconv.Atoi(query.Get("X-Amz-Expires"))
	switch {
	case err != nil:
		return p, fmt.Errorf("%w: X-Amz-Expires should be a number", errPresign)
	case p.expires < 0:
		return p, fmt.Errorf("%w: X-Amz-Expires must be non-negative", errPresign)
	case p.expires > maxExpires:
		return p, fmt.Errorf("%w: X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than %d seconds", errPresign, maxExpires)
	}
	parts := strings.Split(query.Get("X-Amz-Credential"), "/")
	if len(parts) < 5 || parts[len(parts)-1] != "aws4_request" || parts[len(parts)-2] != "s3" || parts[len(parts)-4] != p.stamp[:8] {
		//lint:ignore ST1005 AWS words it so
		return p, fmt.Errorf("%w: Error parsing the X-Amz-Credential parameter; the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/s3/aws4_request\".", errPresign)
	}
	p.scope = strings.Join(parts[len(parts)-4:], "/")
	p.headers = strings.Split(query.Get("X-Amz-SignedHeaders"), ";")
	if !slices.Contains(p.headers, "host") || !slices.IsSorted(p.headers) || slices.ContainsFunc(p.headers, func(h string) bool { return h != strings.ToLower(h) }) {
		return p, fmt.Errorf("%w: X-Amz-SignedHeaders must have host, in lower case and sorted", errPresign)
	}
	return p, nil
}

// verify checks a presigned URL.
func (db *DB) verify(c *call) error {
	p, err := parsePresign(c.query)
	if err != nil {
		message := strings.TrimPrefix(err.Error(), errPresign.Error()+": ")
		return refuse(http.StatusBadRequest, "AuthorizationQueryParametersError", "%s", message)
	}
	signed := db.cfg.Signed(p.signed)
	now, end := db.now(), signed.Add(time.Duration(p.expires)*time.Second)
	if signed.After(now.Add(maxAhead)) {
		return accessDenied("Request is not valid yet")
	}
	if now.After(end) {
		e := accessDenied("Request has expired")
		e.Expires, e.ServerTime = end.Format(time.RFC3339), now.Format(time.RFC3339)
		return e
	}
	var unsigned []string
	for name := range c.r.Header {
		name = strings.ToLower(name)
		if strings.HasPrefix(name, "x-amz-") && !slices.Contains(p.headers, name) {
			unsigned = append(unsigned, name)
		}
	}
	if len(unsigned) > 0 {
		slices.Sort(unsigned)
		e := accessDenied("There were headers present in the request which were not signed")
		e.HeadersNotSigned = strings.Join(unsigned, ", ")
		return e
	}
	canonical := canonicalRequest(c.r, c.query, p.headers)
	sum := sha256.Sum256([]byte(canonical))
	toSign := strings.Join([]string{algorithm, p.stamp, p.scope, hex.EncodeToString(sum[:])}, "\n")
	if !hmac.Equal([]byte(signature(db.cfg.Secret, p.scope, toSign)), []byte(p.signature)) {
		e := refuse(http.StatusForbidden, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided. Check your key and signing method.")
		e.StringToSign, e.CanonicalRequest = toSign, canonical
		return e
	}
	return nil
}

// canonicalRequest is what a presigned URL's signature covers; see
// https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html.
func canonicalRequest(r *http.Request, query url.Values, signed []string) string {
	var pairs []string
	for name, values := range query {
		for _, value := range values {
			if name != "X-Amz-Signature" {
				pairs = append(pairs, escape(name, false)+"="+escape(value, false))
			}
		}
	}
	slices.Sort(pairs)
	var headers strings.Builder
	for _, name := range signed {
		headers.WriteString(name + ":" + headerValue(r, name) + "\n")
	}
	payload := "UNSIGNED-PAYLOAD"
	if digest := query.Get("X-Amz-Content-Sha256"); digest != "" {
		payload = digest
	} else if digest := r.Header.Get("X-Amz-Content-Sha256"); digest != "" {
		payload = digest
	}
	return strings.Join([]string{r.Method, escape(r.URL.Path, true), strings.Join(pairs, "&"), headers.String(), strings.Join(signed, ";"), payload}, "\n")
}

// headerValue gives a header as it is signed. net/http keeps two of them apart.
func headerValue(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		if r.ContentLength < 0 {
			return ""
		}
		return strconv.FormatInt(r.ContentLength, 10)
	}
	values := slices.Clone(r.Header.Values(name))
	for i, value := range values {
		values[i] = strings.Join(strings.Fields(value), " ")
	}
	return strings.Join(values, ",")
}

// escape percent-encodes all but A-Z a-z 0-9 - . _ ~ (and / in a path).
func escape(s string, path bool) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		switch {
		case 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z', '0' <= c && c <= '9', strings.IndexByte("-._~", c) >= 0, path && c == '/':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// signature derives the key of a scope and signs.
func signature(secret, scope, text string) string {
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(scope, "/") {
		key = sign(key, part)
	}
	return hex.EncodeToString(sign(key, text))
}

func sign(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
