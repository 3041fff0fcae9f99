import { cleanText } from '#platform';
import type { WantedInput, WantedInputs } from '#agent';
import { jsonText } from './json-text.js';
import { McpFailure } from './mcp-failure.js';
import { schemaWithoutSecrets } from './masked-schema.js';
import { isRecord } from './rpc-message.js';
import type { SecretMask } from './secret-mask.js';

const MAX_QUESTIONS = 20;
const MAX_KEY = 200;
const MAX_MESSAGE = 10_000;
const MAX_URL = 8_192;
/** Characters of JSON. */
const MAX_SCHEMA = 65_536;
const MAX_STATE = 262_144;

/**
 * What a server wants to know, of a result or a task that is `input_required`: forms to fill in and addresses to go to.
 * @throws McpFailure: it wants something else, or more than can be kept
 */
export function wantedInputs(
  { inputRequests, requestState: state }: Readonly<Record<string, unknown>>,
  mask: SecretMask,
): WantedInputs {
  const requests = isRecord(inputRequests) ? Object.entries(inputRequests) : [];
  if (requests.length > MAX_QUESTIONS) throw unusable(`wants more than ${MAX_QUESTIONS} answers at once`);
  if (state !== undefined && (typeof state !== 'string' || state.length > MAX_STATE))
    throw unusable('wants more to be kept for it than can be');
  if (state !== undefined && mask.opaqueHolds(state))
    throw unusable('wants something to be kept for it that holds a secret of the caller');
  const questions = requests.map(([key, request]) => questionOf(key, request, mask));
  return { questions, ...(state === undefined ? {} : { state }) };
}

function questionOf(key: string, request: unknown, mask: SecretMask): WantedInput {
  if (!isRecord(request) || request['method'] !== 'elicitation/create' || !isRecord(request['params']))
    throw unusable('wants something to be done that is not offered');
  const { mode, message, requestedSchema: schema, url } = request['params'];
  if (key.length > MAX_KEY || typeof message !== 'string' || message.length > MAX_MESSAGE)
    throw unusable('asks for more than can be shown');
  if (mask.opaqueHolds(key)) throw unusable('asks for something by a name that holds a secret of the caller');
  const said = { key, message: cleanText(mask.clean(message)) };
  if (mode === 'url') {
    if (typeof url !== 'string' || url.length > MAX_URL || !URL.canParse(url))
      throw unusable('names no address to go to');
    // A link that is masked leads nowhere.
    if (mask.linkHolds(url)) throw unusable('names an address to go to that holds a secret of the caller');
    return { ...said, url };
  }
  const json = isRecord(schema) ? jsonText(schema) : null;
  if (!isRecord(schema) || json === null || json.length > MAX_SCHEMA)
    throw unusable('does not say what can be answered');
  const { properties } = schema;
  // The server wants the answer by this name, and nobody can be told of it.
  if (isRecord(properties) && Object.keys(properties).some((name) => mask.holds(name)))
    throw unusable('asks for a field whose name holds a secret of the caller');
  return { ...said, schema: schemaWithoutSecrets(schema, mask) };
}

const unusable = (what: string): McpFailure => new McpFailure('refused', `${what}, before it goes on`);
