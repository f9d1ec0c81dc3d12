package httpfront

import (
	"errors"
	"regexp"
	"slices"
	"strings"
)

// A route is a Route with its path taken apart.
type route struct {
	Route
	method   string // "" for ANY and $default
	segments []string
	fallback bool // $default
}

// parameter matches {name} and {name+}.
var parameter = regexp.MustCompile(`^\{([A-Za-z0-9._:-]+)(\+?)\}$`)

var methods = []string{"ANY", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "DELETE"}

func parseRoute(r Route) (route, error) {
	if r.Function == nil {
		return route{}, errors.New("it has no function")
	}
	if r.Key == "$default" {
		return route{Route: r, fallback: true}, nil
	}
	method, path, ok := strings.Cut(r.Key, " ")
	if !ok || !slices.Contains(methods, method) || !strings.HasPrefix(path, "/") {
		return route{}, errors.New("want METHOD /path or $default")
	}
	parsed := route{Route: r, method: method, segments: strings.Split(path[1:], "/")}
	if method == "ANY" {
		parsed.method = ""
	}
	for i, s := range parsed.segments {
		m := parameter.FindStringSubmatch(s)
		switch {
		case m == nil && strings.ContainsAny(s, "{}"):
			return route{}, errors.New("a path parameter takes a whole segment")
		case m != nil && m[2] == "+" && i != len(parsed.segments)-1:
			return route{}, errors.New("a greedy parameter is the last segment")
		}
	}
	return parsed, nil
}

// sortRoutes puts the most specific route first: literal segments before
// parameters, those before greedy ones, a method before ANY, $default last.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-routes.html
func sortRoutes(routes []route) {
	slices.SortStableFunc(routes, func(a, b route) int {
		if a.fallback != b.fallback {
			return rank(a.fallback) - rank(b.fallback)
		}
		for i := range min(len(a.segments), len(b.segments)) {
			if d := kind(a.segments[i]) - kind(b.segments[i]); d != 0 {
				return d
			}
		}
		if d := len(b.segments) - len(a.segments); d != 0 {
			return d
		}
		return rank(a.method == "") - rank(b.method == "")
	})
}

func rank(later bool) int {
	if later {
		return 1
	}
	return 0
}

func kind(segment string) int {
	switch m := parameter.FindStringSubmatch(segment); {
	case m == nil:
		return 0
	case m[2] == "":
		return 1
	}
	return 2
}

// match finds the route of a request and its path parameters.
func (a *API) match(method, path string) (*route, map[string]string) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	for i := range a.routes {
		r := &a.routes[i]
		if r.fallback {
			return r, nil
		}
		if r.method != "" && r.method != method {
			continue
		}
		if parameters, ok := r.parameters(segments); ok {
			return r, parameters
		}
	}
	return nil, nil
}

// parameters matches a path's segments. A parameter takes at least one
// character, so that /{proxy+} does not match /.
func (r *route) parameters(segments []string) (map[string]string, bool) {
	found := map[string]string{}
	for i, want := range r.segments {
		if i >= len(segments) {
			return nil, false
		}
		m := parameter.FindStringSubmatch(want)
		switch {
		case m == nil && segments[i] != want:
			return nil, false
		case m == nil:
		case m[2] == "+":
			rest := strings.Join(segments[i:], "/")
			found[m[1]] = rest
			return found, rest != ""
		case segments[i] == "":
			return nil, false
		default:
			found[m[1]] = segments[i]
		}
	}
	return found, len(segments) == len(r.segments)
}
