package samtemplate

// BucketNotifications are whom a bucket tells of what happens to its objects.
// https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-s3-bucket-notificationconfiguration.html
type BucketNotifications struct {
	LambdaConfigurations     []BucketNotification
	QueueConfigurations      []BucketNotification
	TopicConfigurations      []BucketNotification
	EventBridgeConfiguration *struct{ EventBridgeEnabled *bool }
}

// A BucketNotification is one of them: of an Event, to the ARN of a Function, a Queue
// or a Topic.
type BucketNotification struct {
	Event                  string
	Function, Queue, Topic string
	Filter                 ObjectFilter
}

// An ObjectFilter picks objects by their keys.
type ObjectFilter struct {
	S3Key struct {
		Rules []struct{ Name, Value string }
	}
}
