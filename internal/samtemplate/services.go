package samtemplate

// The resource types of container services.
const (
	TypeTaskDefinition = "AWS::ECS::TaskDefinition"
	TypeService        = "AWS::ECS::Service"
)

// folderMetadata is the key of the metadata that names the folder in functions/ which
// a container's program is built from; the constructs write it.
const folderMetadata = "nightshift:function"

// A TaskDefinition is an AWS::ECS::TaskDefinition: what one process of a service is.
type TaskDefinition struct {
	ContainerDefinitions []ContainerDefinition
}

// A ContainerDefinition is one container of a task.
type ContainerDefinition struct {
	Name        string
	Environment []struct{ Name, Value string }
	// StopTimeout is in seconds; nil means 30.
	StopTimeout *int
}

// A Service is an AWS::ECS::Service: a number of processes that are kept running.
type Service struct {
	ServiceName    string
	TaskDefinition string
	// DesiredCount is how many there are; nil means one.
	DesiredCount *int
}

// Folder names the folder in functions/ that a container's program is built from, or
// is empty.
func (r *Resource) Folder() string {
	if f := r.metadata.field(folderMetadata); f != nil {
		return f.text
	}
	return ""
}
