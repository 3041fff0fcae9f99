import type { JsonSchema } from '../../edge/validation/rules.js';

interface Header {
  readonly description: string;
  readonly schema: JsonSchema;
}

const text = (description: string, example: string): Header => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const count = (description: string): Header => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Headers of answers, by the name under which the description refers to them, which is their own. */
export const ANSWER_HEADERS: Readonly<Record<string, Header>> = {
  'X-Request-Id': text('Names the request in logs.', 'req_7f3581c0a6de4b1f0c6a9e2d'),
  'Content-Location': text('The run that this is the answer of.', '/runs/run_ses_4b1f_90cd'),
  Location: text('What was made, or what has begun.', '/runs/run_ses_4b1f_90cd'),
  'annals-head': count('The last event that the session has now.'),
  'annals-receipt': text(
    'base64 of a signed note of how the run ended: docs/api.md, Receipts. Where it has ended.',
    'YW5uYWxzIHJlY2VpcHQgdjEK',
  ),
  'Retry-After': count('Seconds after which to ask again.'),
  RateLimit: text(
    'What is left of the requests of this key, and for how many seconds (draft-ietf-httpapi-ratelimit-headers-10).',
    '"key";r=599;t=60',
  ),
  'RateLimit-Policy': text('How many requests a key has, in how many seconds.', '"key";q=600;w=60'),
  'RateLimit-Limit': count('Requests of a key in a minute.'),
  'RateLimit-Remaining': count('What is left of them.'),
  'RateLimit-Reset': count('Seconds until they begin anew.'),
};

const OF_KEYS = [
  'RateLimit',
  'RateLimit-Policy',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];

/** Whether a header of some answers of a route is one of those with this status. */
function stands(name: string, status: number): boolean {
  if (name === 'Location') return status === 201 || status === 202;
  return !name.startsWith('annals-') || status === 200;
}

/** The headers of an answer with this status, as references. `isOpen`: no key was asked for. */
export function headersOf(
  status: number,
  { isOpen, own = [] }: { isOpen: boolean; own?: readonly string[] },
) {
  const isBeforeKey = isOpen || status === 401 || status === 408;
  const names = [
    'X-Request-Id',
    ...own.filter((name) => stands(name, status)),
    ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ...(isBeforeKey ? [] : OF_KEYS),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
