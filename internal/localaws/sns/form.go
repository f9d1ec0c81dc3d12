package sns

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
)

// maxForm bounds what is read of a request, in bytes: 1 MiB, each byte escaped.
const maxForm = 8 << 20

// A form is the parameters of a call of the query protocol, or those below a prefix.
// https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
type form struct {
	values url.Values
	prefix string
}

func readForm(w http.ResponseWriter, r *http.Request) (form, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxForm))
	if err != nil {
		return form{}, invalidParameter("", "Reason: reading the request: %v", err)
	}
	return parseForm(string(body) + "&" + r.URL.RawQuery)
}

func parseForm(body string) (form, error) {
	values, err := url.ParseQuery(body)
	if err != nil {
		return form{}, &Error{Code: "MalformedQueryString", Message: err.Error()}
	}
	return form{values: values}, nil
}

// get gives a parameter, "" where it is absent.
func (f form) get(name string) string { return f.values.Get(f.prefix + name) }

// has tells whether a parameter is there, empty or not.
func (f form) has(name string) bool { return f.values.Has(f.prefix + name) }

// at gives the parameters below a name.
func (f form) at(name string) form { return form{f.values, f.prefix + name + "."} }

// members gives the items of a list ("Tags.member.1.Key") or of a map
// ("Attributes.entry.1.key"), up to the first number of which one of the fields is
// not there. With no fields the items are plain values.
func (f form) members(name, kind string, fields ...string) []form {
	var all []form
	for i := 1; ; i++ {
		item := f.at(name + "." + kind + "." + strconv.Itoa(i))
		if !item.hasAny(fields) {
			return all
		}
		all = append(all, item)
	}
}

func (f form) hasAny(fields []string) bool {
	if len(fields) == 0 {
		return f.values.Has(f.value())
	}
	for _, field := range fields {
		if f.has(field) {
			return true
		}
	}
	return false
}

// value is the name of the parameter that an item is itself.
func (f form) value() string { return f.prefix[:len(f.prefix)-1] }

// list gives a list of plain values ("TagKeys.member.1").
func (f form) list(name string) []string {
	var all []string
	for _, item := range f.members(name, "member") {
		all = append(all, f.values.Get(item.value()))
	}
	return all
}

// entries gives a map of strings.
func (f form) entries(name string) map[string]string {
	all := map[string]string{}
	for _, item := range f.members(name, "entry", "key", "value") {
		all[item.get("key")] = item.get("value")
	}
	return all
}

// tags gives a list of tags.
func (f form) tags(name string) map[string]string {
	all := map[string]string{}
	for _, item := range f.members(name, "member", "Key", "Value") {
		all[item.get("Key")] = item.get("Value")
	}
	return all
}
