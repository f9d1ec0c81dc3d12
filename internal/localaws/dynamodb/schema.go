package dynamodb

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nightshift-go/nightshift/internal/ddb"
)

// The parts of a table's definition as the wire has them.
type (
	attributeDefinition struct {
		AttributeName string
		AttributeType string
	}
	keyElement struct {
		AttributeName string
		KeyType       string
	}
	projection struct {
		ProjectionType   string   `json:",omitempty"`
		NonKeyAttributes []string `json:",omitempty"`
	}
	throughput struct {
		ReadCapacityUnits  int64
		WriteCapacityUnits int64
	}
	indexDefinition struct {
		IndexName             string
		KeySchema             []keyElement
		Projection            *projection
		ProvisionedThroughput *throughput `json:",omitempty"`
		OnDemandThroughput    *struct {
			MaxReadRequestUnits, MaxWriteRequestUnits int64
		} `json:",omitempty"`
		WarmThroughput *struct {
			ReadUnitsPerSecond, WriteUnitsPerSecond int64
		} `json:",omitempty"`
	}
	streamSpecification struct {
		StreamEnabled  bool
		StreamViewType string `json:",omitempty"`
	}
)

var nameForm = regexp.MustCompile(`^[a-zA-Z0-9_.-]{3,255}$`)

func checkName(parameter, name string) error {
	if !nameForm.MatchString(name) {
		return invalidf("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+ and have a length of 3 to 255", name, parameter)
	}
	return nil
}

// keySchema reads a key's definition against the attributes' types.
func keySchema(elements []keyElement, attributes []attributeDefinition) (ddb.KeySchema, error) {
	var schema ddb.KeySchema
	if len(elements) == 0 || len(elements) > 2 || elements[0].KeyType != "HASH" || (len(elements) == 2 && elements[1].KeyType != "RANGE") {
		return schema, invalidf("Invalid KeySchema: The first KeySchemaElement must be a HASH key type, the second, if any, a RANGE key type")
	}
	for i, element := range elements {
		at := slices.IndexFunc(attributes, func(a attributeDefinition) bool { return a.AttributeName == element.AttributeName })
		if at < 0 {
			return schema, invalidf("One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [%s], AttributeDefinitions: [%s]", element.AttributeName, attributeNames(attributes))
		}
		key := ddb.KeyAttribute{Name: element.AttributeName, Kind: ddb.KindOf(attributes[at].AttributeType)}
		if i == 0 {
			schema.Hash = key
		} else {
			schema.Range = key
		}
	}
	if schema.Hash.Name == schema.Range.Name {
		return schema, invalidf("Both the Hash Key and the Range Key element in the KeySchema have the same name")
	}
	return schema, nil
}

func attributeNames(attributes []attributeDefinition) string {
	var names []string
	for _, a := range attributes {
		names = append(names, a.AttributeName)
	}
	return strings.Join(names, ", ")
}

func checkAttributes(attributes []attributeDefinition) error {
	seen := map[string]bool{}
	for _, a := range attributes {
		if !slices.Contains([]string{"S", "N", "B"}, a.AttributeType) {
			return invalidf("Member must satisfy enum value set: [B, N, S]: the attribute %s has the type '%s'", a.AttributeName, a.AttributeType)
		}
		if a.AttributeName == "" || seen[a.AttributeName] {
			return invalidf("One or more parameter values were invalid: Cannot redefine or leave empty the attribute '%s'", a.AttributeName)
		}
		seen[a.AttributeName] = true
	}
	return nil
}

// checkAllUsed refuses attribute definitions that no key uses.
func (t *table) checkAllUsed() error {
	used := map[string]bool{t.Key.Hash.Name: true, t.Key.Range.Name: true}
	for _, x := range t.Indexes {
		used[x.Key.Hash.Name], used[x.Key.Range.Name] = true, true
	}
	for _, a := range t.Attributes {
		if !used[a.AttributeName] {
			return invalidf("One or more parameter values were invalid: Some AttributeDefinitions are not used. AttributeDefinitions: [%s], unused: %s", attributeNames(t.Attributes), a.AttributeName)
		}
	}
	return nil
}

// newIndex checks an index's definition.
func newIndex(definition indexDefinition, attributes []attributeDefinition) (*index, error) {
	if err := checkName("indexName", definition.IndexName); err != nil {
		return nil, err
	}
	schema, err := keySchema(definition.KeySchema, attributes)
	if err != nil {
		return nil, err
	}
	p := definition.Projection
	if p == nil {
		return nil, invalidf("One or more parameter values were invalid: Index %s has no projection", definition.IndexName)
	}
	if err := oneOf("projection.projectionType", p.ProjectionType, "ALL", "INCLUDE", "KEYS_ONLY"); err != nil {
		return nil, err
	}
	if (p.ProjectionType == "INCLUDE") != (len(p.NonKeyAttributes) > 0) || p.ProjectionType == "" {
		return nil, invalidf("One or more parameter values were invalid: ProjectionType is %s, but NonKeyAttributes has %d names", p.ProjectionType, len(p.NonKeyAttributes))
	}
	return &index{Definition: definition, Key: schema}, nil
}
