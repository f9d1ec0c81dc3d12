package httpfront

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// CORS is an API's CORS configuration. With one, API Gateway answers preflight
// requests itself and ignores CORS headers of the functions.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
type CORS struct {
	AllowOrigins, AllowMethods, AllowHeaders, ExposeHeaders []string
	AllowCredentials                                        bool
	// MaxAge is in seconds.
	MaxAge int
}

// preflight answers an OPTIONS request that a browser sends ahead.
func (c *CORS) preflight(w http.ResponseWriter, r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if c == nil || r.Method != http.MethodOptions || origin == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h := w.Header()
	c.decorate(h, origin)
	if h.Get("Access-Control-Allow-Origin") != "" {
		set(h, "Access-Control-Allow-Methods", c.AllowMethods)
		set(h, "Access-Control-Allow-Headers", c.AllowHeaders)
		if c.MaxAge > 0 {
			h.Set("Access-Control-Max-Age", strconv.Itoa(c.MaxAge))
		}
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// decorate adds the CORS headers of an answer to a page of that origin.
func (c *CORS) decorate(h http.Header, origin string) {
	if c == nil || origin == "" {
		return
	}
	switch {
	case slices.Contains(c.AllowOrigins, "*"):
		h.Set("Access-Control-Allow-Origin", "*")
	case slices.ContainsFunc(c.AllowOrigins, func(allowed string) bool { return strings.EqualFold(allowed, origin) }):
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
	default:
		return
	}
	set(h, "Access-Control-Expose-Headers", c.ExposeHeaders)
	if c.AllowCredentials {
		h.Set("Access-Control-Allow-Credentials", "true")
	}
}

func set(h http.Header, name string, values []string) {
	if len(values) > 0 {
		h.Set(name, strings.Join(values, ","))
	}
}
