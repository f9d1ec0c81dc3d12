// Batches of an SQS queue with idempotency per record, as the documentation of
// Powertools for AWS Lambda (TypeScript) has it: records side by side, the message's
// id as the key, the DynamoDB persistence layer with its defaults.
import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';

const processor = new BatchProcessor(EventType.SQS);
const persistenceStore = new DynamoDBPersistenceLayer({ tableName: process.env.IDEMPOTENCY_TABLE });
const config = new IdempotencyConfig({ eventKeyJmesPath: 'messageId' });

// The work is to read the message.
const work = makeIdempotent(async (record) => ({ id: JSON.parse(record.body).id }), { persistenceStore, config });

export const handler = async (event, context) => {
  config.registerLambdaContext(context);
  return processPartialResponse(event, work, processor, { context });
};
