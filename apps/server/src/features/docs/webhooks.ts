import { STREAM_EVENT } from '../runs/shared/event-schemas.js';
import { JSON_TYPE } from '../../edge/routes/operation.js';

/**
 * What the service itself sends: callbacks. Their headers stand in words: what openapi-generator makes of parameters of a
 * webhook is no Python.
 */
export const WEBHOOKS = {
  runEvent: {
    post: {
      operationId: 'receiveRunEvent',
      tags: ['callbacks'],
      summary: "An event of a run, sent to its request's `callback`",
      description:
        'At least once, and in order within a run: take what has a higher `annals-sequence` than the last that came, and ' +
        'answer 2xx to everything. Retried for about a day. Headers: `webhook-id` (the delivery: the same in every ' +
        'attempt), `webhook-timestamp` (seconds since 1970, of the attempt), `webhook-signature` (Standard Webhooks, ' +
        'under the `webhook_secret` of the key of the run), `annals-run` (the run), `annals-sequence` (counts the events ' +
        'of the run: 1, 2, 3 …).',
      security: [],
      requestBody: {
        required: true,
        description: 'Exactly the `data:` JSON of the event.',
        content: { [JSON_TYPE]: { schema: STREAM_EVENT } },
      },
      responses: {
        '2XX': { description: 'It was taken.' },
        '410': { description: 'No more of this run is wanted.' },
        default: { description: 'It is sent again, later.' },
      },
    },
  },
};
