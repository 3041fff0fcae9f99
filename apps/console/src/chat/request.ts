import type { FieldError } from '../api/problem.js';

export const MODES = ['flash', 'base', 'max'] as const;
export const WHEN_BUSY = ['enqueue', 'reject', 'interrupt', 'steer'] as const;

export type Mode = (typeof MODES)[number];
export type WhenBusy = (typeof WHEN_BUSY)[number];

/** What the form "Options" holds of a request; empty texts are left out of it. */
export interface Options {
  readonly mode: Mode;
  readonly system: string;
  /** One a line. */
  readonly rules: string;
  readonly isStreaming: boolean;
  readonly callbackUrl: string;
  readonly onBusy: WhenBusy;
  /** Fields of the request that the form does not have; tool servers with their credentials among them. */
  readonly others: Readonly<Record<string, unknown>>;
}

/** Tokens are shown as they come: somebody is looking. */
export const DEFAULTS: Options = {
  mode: 'base',
  system: '',
  rules: '',
  isStreaming: true,
  callbackUrl: '',
  onBusy: 'enqueue',
  others: {},
};

const rulesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((rule) => rule.trim())
    .filter((rule) => rule !== '');

/** The body of `POST /` for a message. It runs in the background: the page reads it from the session's log. */
export function bodyOf(message: string, options: Options): Readonly<Record<string, unknown>> {
  const { mode, system, rules, isStreaming, callbackUrl, onBusy, others } = options;
  const { callback, ...rest } = others;
  const own = isObject(callback) ? callback : {};
  const list = rulesOf(rules);
  return {
    message,
    mode,
    ...(system.trim() === '' ? {} : { system }),
    ...(list.length === 0 ? {} : { rules: list }),
    ...(isStreaming ? { streaming_tokens: true } : {}),
    ...(callbackUrl.trim() === ''
      ? callback === undefined
        ? {}
        : { callback }
      : { callback: { ...own, url: callbackUrl.trim() } }),
    ...(onBusy === 'enqueue' ? {} : { on_busy: onBusy }),
    ...rest,
    background: true,
  };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Parsed {
  readonly message: string;
  readonly options: Options;
}

/**
 * A request that was written as JSON, as the form has it. What is of a form that the fields cannot hold stays among the
 * others, so that the service says what is wrong with it. @throws SyntaxError
 */
export function parsed(text: string): Parsed {
  const body = JSON.parse(text) as unknown;
  if (!isObject(body)) throw new SyntaxError('a request is a JSON object');
  const others: Record<string, unknown> = { ...body };
  const take = <T>(name: string, is: (value: unknown) => value is T, otherwise: T): T => {
    const value = others[name];
    if (!is(value)) return otherwise;
    delete others[name];
    return value;
  };
  const message = take('message', isText, '');
  const rules = take('rules', isRules, []);
  const options = {
    mode: take('mode', isOneOf(MODES), DEFAULTS.mode),
    system: take('system', isText, ''),
    rules: rules.join('\n'),
    isStreaming: take('streaming_tokens', isBoolean, false),
    callbackUrl: urlIn(others),
    onBusy: take('on_busy', isOneOf(WHEN_BUSY), DEFAULTS.onBusy),
  };
  if (others['background'] === true) delete others['background'];
  return { message, options: { ...options, others } };
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isRules = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.every(
    (rule) => typeof rule === 'string' && rule.trim() === rule && rule !== '' && !rule.includes('\n'),
  );
const isOneOf =
  <T extends string>(all: readonly T[]) =>
  (value: unknown): value is T =>
    (all as readonly unknown[]).includes(value);

/** The callback's URL; its headers stay where they are. */
function urlIn(others: Record<string, unknown>): string {
  const { callback } = others;
  if (!isObject(callback) || typeof callback['url'] !== 'string') return '';
  const { url, ...more } = callback as Readonly<Record<string, unknown>> & { readonly url: string };
  if (Object.keys(more).length === 0) delete others['callback'];
  else others['callback'] = more;
  return url;
}

export const FIELDS = [
  'message',
  'mode',
  'system',
  'rules',
  'streaming_tokens',
  'callback',
  'on_busy',
] as const;
export type FieldName = (typeof FIELDS)[number];

/** What the service says of a field of the form, joined; null: nothing. */
export function errorOf(errors: readonly FieldError[], name: FieldName): string | null {
  const own = errors.filter(({ path }) => fieldOf(path) === name).map(({ message }) => message);
  return own.length === 0 ? null : own.join('; ');
}

const fieldOf = (path: string): string => /^[a-z_]+/.exec(path)?.[0] ?? '';
