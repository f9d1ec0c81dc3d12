package sizing

// A Price is what AWS asks for something.
type Price struct {
	Dollars float64 `json:"dollars"`
	// Of is what it is for: "a million requests".
	Of string `json:"of"`
	// Source is the page that lists it, Date when the list was of (year-month).
	Source string `json:"source"`
	Date   string `json:"date"`
}

// Prices are those of a Region, without free tiers and discounts. Replace what differs
// in yours.
type Prices struct {
	Region string
	// HTTPRequests are a million requests of an HTTP API.
	HTTPRequests Price
	// LambdaRequests are a million, LambdaTime is a GB-second on arm64.
	LambdaRequests, LambdaTime Price
	// SQSRequests and FIFORequests are a million.
	SQSRequests, FIFORequests Price
	// TableWrites and TableReads are a million units on demand, TableStorage is a GB
	// for a month. Reading a stream by a Lambda function costs nothing.
	TableWrites, TableReads, TableStorage Price
	// Logs is a GB taken in.
	Logs Price
	// Metric, Alarm are one for a month.
	Metric, Alarm Price
	// ObjectPuts and ObjectGets are a million, ObjectStorage is a GB for a month.
	ObjectPuts, ObjectGets, ObjectStorage Price
}

// USEast1 are the list prices of us-east-1.
func USEast1() Prices {
	of := func(dollars float64, of, service, date string) Price {
		return Price{dollars, of, "https://aws.amazon.com/" + service + "/pricing/", date}
	}
	return Prices{
		Region:         "us-east-1",
		HTTPRequests:   of(1.00, "a million requests", "api-gateway", "2024-07"),
		LambdaRequests: of(0.20, "a million requests", "lambda", "2024-07"),
		LambdaTime:     of(0.0000133334, "a GB-second", "lambda", "2024-07"),
		SQSRequests:    of(0.40, "a million requests", "sqs", "2024-07"),
		FIFORequests:   of(0.50, "a million requests", "sqs", "2024-07"),
		TableWrites:    of(0.625, "a million write units", "dynamodb", "2024-11"),
		TableReads:     of(0.125, "a million read units", "dynamodb", "2024-11"),
		TableStorage:   of(0.25, "a GB-month", "dynamodb", "2024-11"),
		Logs:           of(0.50, "a GB", "cloudwatch", "2024-07"),
		Metric:         of(0.30, "a metric and month", "cloudwatch", "2024-07"),
		Alarm:          of(0.10, "an alarm and month", "cloudwatch", "2024-07"),
		ObjectPuts:     of(5.00, "a million requests", "s3", "2024-07"),
		ObjectGets:     of(0.40, "a million requests", "s3", "2024-07"),
		ObjectStorage:  of(0.023, "a GB-month", "s3", "2024-07"),
	}
}

// Oldest is the date of the oldest of the prices.
func (p Prices) Oldest() string {
	oldest := p.HTTPRequests.Date
	for _, price := range []Price{
		p.LambdaRequests, p.LambdaTime, p.SQSRequests, p.FIFORequests, p.TableWrites, p.TableReads, p.TableStorage,
		p.Logs, p.Metric, p.Alarm, p.ObjectPuts, p.ObjectGets, p.ObjectStorage,
	} {
		oldest = min(oldest, price.Date)
	}
	return oldest
}
