package constructs_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nightshift-go/nightshift/infra/constructs"
)

func (r template) text(t *testing.T, id string) string {
	t.Helper()
	resource, there := r.Resources[id]
	if !there {
		t.Errorf("there is no %s", id)
	}
	encoded, err := json.Marshal(resource.Properties)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

func TestTopics(t *testing.T) {
	needNode(t)
	s := newShop(t)
	mail := constructs.NewWorkerQueue(s.stack, "Mails", constructs.WorkerQueueProps{
		Queue: mails, Tasks: shopTasks, Function: function(t, "mails"), Backstop: s.standard})
	moves := constructs.NewWorkerQueue(s.stack, "Stock", constructs.WorkerQueueProps{
		Queue: stock, Tasks: shopTasks, Function: function(t, "stock"), Backstop: s.fifo})
	orders := constructs.NewTopic(s.stack, "Orders", constructs.TopicProps{Name: "orders"})
	articles := constructs.NewTopic(s.stack, "Articles", constructs.TopicProps{Name: "shop-articles", FIFO: true})
	orders.Subscribe(mail, "order.placed", "order.sent")
	articles.Subscribe(moves, "article.moved")
	articles.Subscribe(mail, "article.gone")
	s.relay.PublishEvents(orders)
	s.relay.PublishEvents(articles)

	all := s.synthesised(t)
	for id, parts := range map[string][]string{
		"OrdersTopic":                    {`"KmsMasterKeyId":`, "alias/aws/sns"},
		"OrdersTopicPolicy":              {`"aws:SecureTransport":"false"`, `"Effect":"Deny"`},
		"OrdersMailsSubscription":        {`"FilterPolicy":{"event":["order.placed","order.sent"]}`, `"RawMessageDelivery":true`, `"deadLetterTargetArn":{"Fn::GetAtt":["OrdersDeadLetterQueue","Arn"]}`, `"Endpoint":{"Fn::GetAtt":["MailsQueue","Arn"]}`},
		"MailsQueuePolicy":               {`"Action":"sqs:SendMessage","Condition":{"ArnEquals":{"aws:SourceArn":{"Ref":"OrdersTopic"}}}`, `{"ArnEquals":{"aws:SourceArn":{"Ref":"ArticlesTopic"}}}`},
		"OrdersDeadLetterQueuePolicy":    {`{"ArnEquals":{"aws:SourceArn":{"Ref":"OrdersTopic"}}}`},
		"ArticlesTopic":                  {`"FifoTopic":true`, `"FifoThroughputScope":"MessageGroup"`, `.fifo"`},
		"ArticlesDeadLetterQueue":        {`"FifoQueue":true`},
		"ArticlesStockMovesSubscription": {`"FilterPolicy":{"event":["article.moved"]}`},
		// What SQS moves away of an event goes back to the queue that it came from.
		"BackstopFunctionRoleDefaultPolicy":        {`{"Fn::GetAtt":["MailsQueue","Arn"]}`},
		"OrderedBackstopFunctionRoleDefaultPolicy": {`{"Fn::GetAtt":["StockQueue","Arn"]}`},
		"OrdersFailedAlarm":                        {`"MetricName":"NumberOfNotificationsFailed"`},
		"RelayFunction":                            {`"NIGHTSHIFT_TOPIC_ORDERS_ARN":{"Ref":"OrdersTopic"}`, `"NIGHTSHIFT_TOPIC_SHOP_ARTICLES_ARN":{"Ref":"ArticlesTopic"}`},
	} {
		text := all.text(t, id)
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("%s lacks %s: %s", id, part, text)
			}
		}
	}
	for id, resource := range all.Resources {
		if resource.Type == "AWS::SNS::TopicPolicy" && strings.Contains(all.text(t, id), `"Effect":"Allow"`) {
			t.Errorf("%s lets somebody in: %s", id, all.text(t, id))
		}
	}
}

func TestMistakesOfTopics(t *testing.T) {
	needNode(t)
	for _, c := range []struct {
		want string
		make func(s *shop)
	}{
		{"needs a Name", func(s *shop) { constructs.NewTopic(s.stack, "Orders", constructs.TopicProps{}) }},
		{"SNS refuses that", func(s *shop) {
			moves := constructs.NewWorkerQueue(s.stack, "Stock", constructs.WorkerQueueProps{Queue: stock, Tasks: shopTasks, Function: function(t, "stock"), Backstop: s.fifo})
			constructs.NewTopic(s.stack, "Orders", constructs.TopicProps{Name: "orders"}).Subscribe(moves, "order.placed")
		}},
		{"name 1 to 150", func(s *shop) {
			mail := constructs.NewWorkerQueue(s.stack, "Mails", constructs.WorkerQueueProps{Queue: mails, Tasks: shopTasks, Function: function(t, "mails"), Backstop: s.standard})
			constructs.NewTopic(s.stack, "Orders", constructs.TopicProps{Name: "orders"}).Subscribe(mail)
		}},
	} {
		if mistake := mistakeOf(func() { c.make(newShop(t)) }); mistake == nil || !strings.Contains(mistake.Error(), c.want) {
			t.Errorf("the mistake is %v, want one that says %q", mistake, c.want)
		}
	}
}
