package samtemplate

import "testing"

func TestBucketNotifications(t *testing.T) {
	template, err := Parse([]byte(`
Resources:
  Photos: {Type: AWS::SQS::Queue}
  Uploads:
    Type: AWS::S3::Bucket
    Properties:
      NotificationConfiguration:
        QueueConfigurations:
          - Event: s3:ObjectCreated:*
            Queue: !GetAtt Photos.Arn
            Filter: {S3Key: {Rules: [{Name: prefix, Value: uploads/}, {Name: suffix, Value: .jpg}]}}
        LambdaConfigurations:
          - {Event: s3:ObjectRemoved:Delete, Function: arn:f}
        EventBridgeConfiguration: {EventBridgeEnabled: false}
`))
	if err != nil {
		t.Fatal(err)
	}
	s := &Scope{}
	s.Set("Photos", "Arn", "arn:photos")
	var bucket Bucket
	if err := template.Decode(resource(t, template, "Uploads"), s, &bucket); err != nil {
		t.Fatal(err)
	}
	n := bucket.NotificationConfiguration
	if n == nil || len(n.QueueConfigurations) != 1 || len(n.LambdaConfigurations) != 1 || *n.EventBridgeConfiguration.EventBridgeEnabled {
		t.Fatalf("%+v", n)
	}
	q := n.QueueConfigurations[0]
	if q.Queue != "arn:photos" || q.Event != "s3:ObjectCreated:*" || len(q.Filter.S3Key.Rules) != 2 || q.Filter.S3Key.Rules[1].Value != ".jpg" {
		t.Errorf("%+v", q)
	}
	if f := n.LambdaConfigurations[0]; f.Function != "arn:f" || len(f.Filter.S3Key.Rules) != 0 {
		t.Errorf("%+v", f)
	}
}
