package rules

import "slices"

var tableRules = []Rule{{
	ID:   "key-attribute",
	Says: "Every key of a table and of its indexes is among the attribute definitions.",
	check: func(t *template, report report) {
		for _, table := range t.of("AWS::DynamoDB::Table", "AWS::DynamoDB::GlobalTable") {
			defined := attributeNames(table.list("AttributeDefinitions"))
			for _, key := range keys(table) {
				if !slices.Contains(defined, key) {
					report(table.id, "the key %s is not among AttributeDefinitions", key)
				}
			}
		}
	},
}}

// keys are the names of the key attributes of a table and its indexes.
func keys(table *resource) []string {
	schemas := table.list("KeySchema")
	for _, kind := range []string{"GlobalSecondaryIndexes", "LocalSecondaryIndexes"} {
		for _, index := range table.list(kind) {
			object, _ := index.(map[string]any)
			schemas = append(schemas, asList(object["KeySchema"])...)
		}
	}
	return attributeNames(schemas)
}

func attributeNames(elements []any) []string {
	var names []string
	for _, element := range elements {
		object, _ := element.(map[string]any)
		if name, ok := object["AttributeName"].(string); ok {
			names = append(names, name)
		}
	}
	return names
}
