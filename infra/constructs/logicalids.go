package constructs

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	core "github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// ReadableIDs gives every resource of a stack the logical id that its path
// spells, without CDK's hash: Photos/Queue becomes PhotosQueue. Call it when
// the stack is complete. It panics with a Mistake if two resources would share
// an id.
//
// A logical id is a resource's identity: on a stack that is already deployed
// with other ids, CloudFormation would replace everything.
func ReadableIDs(stack awscdk.Stack) {
	taken := map[string]string{}
	for _, child := range *stack.Node().FindAll(core.ConstructOrder_PREORDER) {
		if !*awscdk.CfnElement_IsCfnElement(child) {
			continue
		}
		path := *child.Node().Path()
		id := readableID(strings.TrimPrefix(path, *stack.Node().Path()+"/"))
		if other, exists := taken[id]; exists {
			refuse(path, "its logical id %s is that of %s", id, other)
		}
		taken[id] = path
		var element awscdk.CfnElement
		jsii.UnsafeCast(child, &element)
		element.OverrideLogicalId(jsii.String(id))
	}
}

// readableID joins the parts of a path, less those that only say that a
// construct has a main resource.
func readableID(path string) string {
	var id strings.Builder
	for _, part := range strings.Split(path, "/") {
		if part == "Resource" || part == "Default" {
			continue
		}
		for _, r := range part {
			if r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' {
				id.WriteRune(r)
			}
		}
	}
	return id.String()
}

// ID spells a queue's name as a construct's id: "weekly-mail" becomes WeeklyMail.
func ID(name string) string {
	var id strings.Builder
	for _, word := range strings.Split(name, "-") {
		if word != "" {
			id.WriteString(strings.ToUpper(word[:1]) + word[1:])
		}
	}
	return id.String()
}
