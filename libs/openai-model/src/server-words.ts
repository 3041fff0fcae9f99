/** What a server says of an error. */
export interface ServerWords {
  readonly message: string;
  /** Code and type, for whoever looks for a word in them. */
  readonly code: string;
  /** What the server names as the cause: a parameter, or where it stands. */
  readonly param: string;
  /** The HTTP status that the error says it has; it may stand in a stream of status 200. */
  readonly status: number | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** Where servers put what they say, the most telling first. */
const MESSAGES = ['message', 'detail', 'details', 'msg', 'error_msg', 'status_msg', 'error_message'] as const;
const MORE = ['title', 'description', 'error_description', 'reason', 'faultstring'] as const;
/** Where servers put an error as a whole. */
const HOLDERS = ['error', 'errors', 'fault', 'exception', 'base_resp', 'err'] as const;
const maxDepth = 5;

/** What a body says, in the shapes that servers use; undefined: it says nothing that we know to read. */
export function wordsIn(body: unknown, depth = 0): ServerWords | undefined {
  if (depth > maxDepth || body === null || body === undefined || body === false) return undefined;
  if (typeof body === 'string') return body.trim() === '' ? undefined : { ...NOTHING, message: body };
  if (Array.isArray(body)) return wordsInList(body, depth);
  if (typeof body !== 'object') return undefined;
  const fields = body as Fields;
  const own = { code: codeOf(fields), param: paramOf(fields), status: statusOf(fields) };
  for (const key of [...HOLDERS, ...MESSAGES, ...MORE]) {
    const found = wordsIn(jsonIn(fields[key]), depth + 1);
    if (found !== undefined) return merged(own, found);
  }
  return undefined;
}

/** What a piece of an answer says, where it is an error and no piece of an answer. @param name of its record */
export function errorWordsIn(piece: Fields, name: string | undefined): ServerWords | undefined {
  const { error, choices, usage } = piece;
  const isNamed = name === 'error' || piece['object'] === 'error' || piece['type'] === 'error';
  const isAnswer = Array.isArray(choices) && choices.length > 0;
  if (isNamed && !isAnswer) return wordsIn(piece) ?? { ...NOTHING, message: 'no message' };
  if (isTelling(error)) return merged(ownOf(piece), wordsIn(error) ?? wordsIn(JSON.stringify(error)));
  if (Array.isArray(choices) || isObject(usage)) return undefined;
  // The message of a server of another kind is an object.
  return isObject(piece['message']) ? undefined : wordsIn(piece);
}

const NOTHING: ServerWords = { message: '', code: '', param: '', status: undefined };

const ownOf = (fields: Fields) => ({
  code: codeOf(fields),
  param: paramOf(fields),
  status: statusOf(fields),
});

function merged(own: Omit<ServerWords, 'message'>, found: ServerWords = NOTHING): ServerWords {
  return {
    message: found.message,
    code: `${own.code} ${found.code}`.trim(),
    param: found.param || own.param,
    status: found.status ?? own.status,
  };
}

function wordsInList(list: readonly unknown[], depth: number): ServerWords | undefined {
  const all = list.slice(0, 20).map((one) => wordsIn(one, depth + 1));
  const found = all.filter((words) => words !== undefined);
  if (found.length === 0) return undefined;
  const message = found
    .map(({ message, param }) => (param === '' ? message : `${param}: ${message}`))
    .join('; ');
  return merged(found[0]!, { ...found[0]!, message });
}

/** An error may be JSON inside a string of another: what one server says of the one behind it. */
function jsonIn(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return value;
  try {
    const inner: unknown = JSON.parse(value);
    return wordsIn(inner) === undefined ? value : inner;
  } catch {
    return value;
  }
}

const codeOf = (fields: Fields): string =>
  ['code', 'type', 'error_code', 'errorType', 'status']
    .map((key) => fields[key])
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .join(' ');

/** A parameter by its name, or the way to it that a validator gives (`["body", "tools", 0]`). */
function paramOf(fields: Fields): string {
  const { param, loc } = fields;
  if (typeof param === 'string') return param;
  return Array.isArray(loc) ? loc.filter((step) => step !== 'body').join('.') : '';
}

function statusOf(fields: Fields): number | undefined {
  for (const key of ['code', 'status', 'status_code', 'statusCode', 'http_status']) {
    const status = Number(fields[key]);
    if (Number.isInteger(status) && status >= 400 && status <= 599) return status;
  }
  return undefined;
}

/** Servers put `error: null`, `""`, `false` or `{}` where there is none. */
const isTelling = (error: unknown): boolean =>
  error !== undefined &&
  error !== null &&
  error !== '' &&
  error !== false &&
  error !== 0 &&
  !(isObject(error) && Object.keys(error).length === 0);

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
