package ddb

// A Projection is a parsed ProjectionExpression. It is safe for concurrent use.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.ProjectionExpressions.html
type Projection struct {
	root tree[struct{}]
}

// Projection parses a ProjectionExpression. Mistakes are *ValidationErrors.
func (s *Scope) Projection(expr string) (*Projection, error) {
	c := checker{scope: s, label: "ProjectionExpression"}
	paths, err := parse(c.label, expr, func(p *parser) []path {
		paths := []path{p.path()}
		for p.accept(",") {
			paths = append(paths, p.path())
		}
		return paths
	})
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if err := c.reserved(path); err != nil {
			return nil, err
		}
	}
	projection := &Projection{}
	for _, path := range paths {
		if err := c.bindPath(path); err != nil {
			return nil, err
		}
		if err := projection.root.add(&c, path, struct{}{}); err != nil {
			return nil, err
		}
	}
	return projection, nil
}

// Attributes are the top-level attributes that are asked for.
func (p *Projection) Attributes() []string {
	var names []string
	for _, child := range p.root.children {
		names = append(names, child.step.name)
	}
	return names
}

// Apply gives what the projection keeps of an item: never nil. A nil
// Projection keeps everything.
func (p *Projection) Apply(item Item) Item {
	if p == nil {
		return item
	}
	return p.root.pickFields(item)
}
