// The Lambda runtime's loop: asks for an event, has it handled, answers. One
// connection is kept open, as AWS's own client does.
// https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
import http from 'node:http';
import { handler } from './handler.mjs';

const [host, port] = process.env.AWS_LAMBDA_RUNTIME_API.split(':');
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

const call = (method, path, body) =>
  new Promise((resolve, reject) => {
    const request = http.request(
      { agent, host, port, method, path: `/2018-06-01/runtime/invocation/${path}` },
      (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(body);
  });

const serve = async () => {
  for (;;) {
    const { headers, body } = await call('GET', 'next');
    const id = headers['lambda-runtime-aws-request-id'];
    const deadline = Number(headers['lambda-runtime-deadline-ms']);
    const context = {
      awsRequestId: id,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      invokedFunctionArn: headers['lambda-runtime-invoked-function-arn'],
      getRemainingTimeInMillis: () => Math.max(deadline - Date.now(), 0),
    };
    try {
      await call('POST', `${id}/response`, JSON.stringify(await handler(JSON.parse(body), context)));
    } catch (error) {
      await call('POST', `${id}/error`, JSON.stringify({ errorType: error.name, errorMessage: String(error.stack) }));
    }
  }
};

serve().catch((error) => {
  console.error(error);
  process.exit(1);
});
