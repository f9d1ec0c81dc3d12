package samtemplate

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Raw is a part of a template that is decoded later, once its kind is known.
type Raw struct{ node *node }

// Decode fills into (a pointer to one of this package's resource structs) with
// the resource's properties, references resolved in the scope. Properties that
// the struct lacks are left out, references in them untouched. The error joins
// one Problem for each mistake.
func (t *Template) Decode(r *Resource, s *Scope, into any) error {
	d := t.decoder(s)
	d.decode(r.properties, reflect.ValueOf(into).Elem(), r.ID)
	if err := d.err(); err != nil {
		return fmt.Errorf("samtemplate: %s %s: %w", r.Type, r.ID, err)
	}
	return nil
}

// Active tells whether the resource's Condition holds; without one it is true.
func (t *Template) Active(r *Resource, s *Scope) (bool, error) {
	if r.condition == "" {
		return true, nil
	}
	d := t.decoder(s)
	holds := d.condition(r.Line, r.condition)
	return holds, d.err()
}

func (t *Template) decoder(s *Scope) *decoder {
	return &decoder{resolver: resolver{checker: &checker{}, template: t, scope: s}}
}

// decoder turns nodes into Go values. With checkOnly it leaves out what only a
// scope could resolve and reports the mistakes that are visible without one.
type decoder struct {
	resolver
	checkOnly bool
}

func (d *decoder) decode(n *node, v reflect.Value, path string) {
	if n == nil {
		return
	}
	if raw, ok := v.Addr().Interface().(*Raw); ok {
		raw.node = n
		return
	}
	if v.Type() == jsonType {
		d.decodeJSON(n, v)
		return
	}
	if n.kind == intrinsic {
		if d.checkOnly {
			return
		}
		if n = d.value(n); n == nil {
			return
		}
	}
	if n.kind == mapping && len(n.keys) == 1 && strings.HasPrefix(n.keys[0], "Fn::") {
		d.report(n.line, "%s: the function %s is not supported", path, n.keys[0])
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		fresh := reflect.New(v.Type().Elem())
		d.decode(n, fresh.Elem(), path)
		v.Set(fresh)
	case reflect.Struct:
		d.decodeStruct(n, v, path)
	case reflect.Map:
		d.decodeMap(n, v, path)
	case reflect.Slice:
		d.decodeSlice(n, v, path)
	default:
		d.decodeScalar(n, v, path)
	}
}

func (d *decoder) decodeStruct(n *node, v reflect.Value, path string) {
	if n.kind != mapping {
		d.report(n.line, "%s: want a mapping", path)
		return
	}
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("cfn")
		if name == "" {
			name = v.Type().Field(i).Name
		}
		if name == "-" {
			continue
		}
		d.decode(n.fields[name], v.Field(i), path+"."+name)
	}
}

func (d *decoder) decodeMap(n *node, v reflect.Value, path string) {
	if n.kind != mapping {
		d.report(n.line, "%s: want a mapping", path)
		return
	}
	v.Set(reflect.MakeMap(v.Type()))
	for _, key := range n.keys {
		item := reflect.New(v.Type().Elem()).Elem()
		field := n.fields[key]
		if field.kind == intrinsic && !d.checkOnly {
			if field = d.value(field); field == nil {
				continue // AWS::NoValue
			}
		}
		d.decode(field, item, path+"."+key)
		v.SetMapIndex(reflect.ValueOf(key), item)
	}
}

func (d *decoder) decodeSlice(n *node, v reflect.Value, path string) {
	if n.kind != list {
		d.report(n.line, "%s: want a list", path)
		return
	}
	for i, member := range n.list {
		if member.kind == intrinsic && !d.checkOnly {
			if member = d.value(member); member == nil {
				continue
			}
		}
		item := reflect.New(v.Type().Elem()).Elem()
		d.decode(member, item, fmt.Sprintf("%s[%d]", path, i))
		v.Set(reflect.Append(v, item))
	}
}

// decodeScalar reads strings, whole numbers and booleans. CloudFormation takes
// a number or a boolean written as a string, and the other way round.
func (d *decoder) decodeScalar(n *node, v reflect.Value, path string) {
	if n.kind != scalar || n.tag == "!!null" {
		d.report(n.line, "%s: want a single value", path)
		return
	}
	s := n.text
	if strings.Contains(s, "{{resolve:") {
		if d.checkOnly {
			return
		}
		s = d.expand(n)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(s)
	case reflect.Int:
		number, err := strconv.Atoi(s)
		if err != nil {
			d.report(n.line, "%s: want a whole number, not %q", path, s)
		}
		v.SetInt(int64(number))
	case reflect.Bool:
		truth, err := strconv.ParseBool(s)
		if err != nil {
			d.report(n.line, "%s: want true or false, not %q", path, s)
		}
		v.SetBool(truth)
	default:
		d.report(n.line, "%s: cannot be read into %s", path, v.Type())
	}
}
