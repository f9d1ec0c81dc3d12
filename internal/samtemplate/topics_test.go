package samtemplate

import "testing"

func TestTopicsAndSubscriptions(t *testing.T) {
	template, err := Parse([]byte(`
Resources:
  Recipes: {Type: AWS::SNS::Topic, Properties: {TopicName: recipes, MaximumMessageSize: 1024}}
  Feed: {Type: AWS::SQS::Queue}
  ToFeed:
    Type: AWS::SNS::Subscription
    Properties:
      TopicArn: !Ref Recipes
      Protocol: sqs
      Endpoint: !GetAtt Feed.Arn
      RawMessageDelivery: true
      FilterPolicyScope: MessageBody
      FilterPolicy: {event: [recipe.published, "7", 7, true, null, {prefix: !Sub "${Recipes}-"}, !Ref AWS::NoValue]}
      RedrivePolicy: '{"deadLetterTargetArn":"arn"}'
`))
	if err != nil {
		t.Fatal(err)
	}
	s := &Scope{}
	s.Set("Recipes", "Ref", "arn:topic")
	s.Set("Feed", "Arn", "arn:feed")
	var topic Topic
	if err := template.Decode(resource(t, template, "Recipes"), s, &topic); err != nil || topic.TopicName != "recipes" || *topic.MaximumMessageSize != 1024 {
		t.Errorf("%+v, %v", topic, err)
	}
	var got Subscription
	if err := template.Decode(resource(t, template, "ToFeed"), s, &got); err != nil {
		t.Fatal(err)
	}
	want := Subscription{TopicArn: "arn:topic", Protocol: "sqs", Endpoint: "arn:feed", RawMessageDelivery: true, FilterPolicyScope: "MessageBody",
		FilterPolicy: `{"event":["recipe.published","7",7,true,null,{"prefix":"arn:topic-"}]}`, RedrivePolicy: `{"deadLetterTargetArn":"arn"}`}
	if got != want {
		t.Errorf("%+v", got)
	}
}
