package ses

import (
	"encoding/json"
	"errors"
	"maps"
	"strings"
)

// maxTemplate is how large a template may be, in bytes.
// https://docs.aws.amazon.com/ses/latest/dg/quotas.html
const maxTemplate = 500 << 10

// content is a template's parts.
type content struct {
	Subject string `json:",omitempty"`
	Text    string `json:",omitempty"`
	HTML    string `json:"Html,omitempty"`
}

func (t content) check() error {
	if t.Subject == "" {
		return badRequest("The template has no subject.")
	}
	if len(t.Subject)+len(t.Text)+len(t.HTML) > maxTemplate {
		return badRequest("The template is larger than %d bytes.", maxTemplate)
	}
	for _, part := range []string{t.Subject, t.Text, t.HTML} {
		if _, err := parse(part); err != nil {
			return badRequest("The template is not valid: %v.", err)
		}
	}
	return nil
}

// render fills the parts in. An error is one of the data.
func (t content) render(data map[string]any) (content, error) {
	var errs []error
	fill := func(part string) string {
		parsed, err := parse(part)
		var out strings.Builder
		if err == nil {
			err = parsed.write(&out, &scope{this: data})
		}
		errs = append(errs, err)
		return out.String()
	}
	filled := content{fill(t.Subject), fill(t.Text), fill(t.HTML)}
	return filled, errors.Join(errs...)
}

// readData reads the data of templates; a later one's members go over an earlier's.
func readData(texts ...string) (map[string]any, error) {
	data := map[string]any{}
	for _, text := range texts {
		if text == "" {
			continue
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var more map[string]any
		if err := d.Decode(&more); err != nil {
			return nil, badRequest("The template data are not a JSON object: %v.", err)
		}
		maps.Copy(data, more)
	}
	return data, nil
}

type templateInput struct {
	TemplateName    string
	TemplateContent content
	Tags            []any
}

func (db *DB) createTemplate(c call) (any, error) {
	var in templateInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if !settingNamePattern.MatchString(in.TemplateName) {
		return nil, badRequest("A template's name has letters, digits, underscores and hyphens, at most 64.")
	}
	if err := in.TemplateContent.check(); err != nil {
		return nil, err
	}
	if found, err := db.get(templatesBucket, in.TemplateName, &content{}); err != nil || found {
		return nil, orExists(err, "Template %s already exists.", in.TemplateName)
	}
	return nil, db.put(templatesBucket, in.TemplateName, in.TemplateContent)
}

// template finds a template, or refuses.
func (db *DB) template(name string) (content, error) {
	var found content
	ok, err := db.get(templatesBucket, name, &found)
	if err == nil && !ok {
		err = notFound("Template %s does not exist.", name)
	}
	return found, err
}

func (db *DB) getTemplate(c call) (any, error) {
	found, err := db.template(c.name)
	return templateInput{TemplateName: c.name, TemplateContent: found}, err
}

func (db *DB) updateTemplate(c call) (any, error) {
	var in templateInput
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	if _, err := db.template(c.name); err != nil {
		return nil, err
	}
	if err := in.TemplateContent.check(); err != nil {
		return nil, err
	}
	return nil, db.put(templatesBucket, c.name, in.TemplateContent)
}

func (db *DB) deleteTemplate(c call) (any, error) {
	return db.remove(templatesBucket, c.name, "Template %s does not exist.", c.name)
}

func (db *DB) listTemplates(call) (any, error) {
	names, err := db.names(templatesBucket)
	all := []any{}
	for _, name := range names {
		all = append(all, map[string]any{"TemplateName": name})
	}
	return map[string]any{"TemplatesMetadata": all}, err
}

func (db *DB) testRender(c call) (any, error) {
	var in struct{ TemplateData string }
	if err := c.decode(&in); err != nil {
		return nil, err
	}
	found, err := db.template(c.name)
	if err != nil {
		return nil, err
	}
	data, err := readData(in.TemplateData)
	if err != nil {
		return nil, err
	}
	filled, err := found.render(data)
	if err != nil {
		return nil, badRequest("%v", err)
	}
	source, err := compose(&mail{Subject: filled.Subject}, parts{text: filled.Text, html: filled.HTML}, db.cfg.Now())
	return map[string]any{"RenderedTemplate": string(source)}, err
}
