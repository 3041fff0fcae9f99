import type { AskedItem, AskedPart } from './asked-item.js';
import {
  type Fields,
  fieldsOf,
  has,
  listIn,
  missing,
  oneOf,
  pathTo,
  requiredText,
  textIn,
} from './fields.js';
import { MOST } from './limits.js';
import { UNSUPPORTED, requireImageUrl } from './message-parts.js';
import { partsIn, refuseOtherTypes, typeOf, unsupportedType, wordsOf } from './parts.js';
import { refused } from './refusals.js';

const TEXT = { max: MOST.text };
const ID = { min: 1, max: MOST.id };
const NAME = { min: 1, max: MOST.name };
/** Clients send back what they got. */
const OF_ASSISTANT = ['annotations', 'reasoning_content', 'reasoning', 'parsed', 'name'];
/** Some clients write what belongs to the message into its parts. */
const OF_PART = ['annotations', 'logprobs', 'parsed', 'role'];

/** `messages` of a chat completion as items. @throws Problem naming what is wrong */
export function chatItems(fields: Fields): readonly AskedItem[] {
  const values = listIn(fields, 'messages', MOST.items) ?? missing(fields, 'messages');
  if (values.length === 0) throw refused('invalid_value', 'messages', 'messages: must not be empty');
  const items = values.flatMap((value, at) => itemsOf(value, pathTo('messages', at)));
  if (items.length === 0) throw refused('invalid_value', 'messages', 'messages: must say something');
  return items;
}

function itemsOf(value: unknown, path: string): readonly AskedItem[] {
  const { role } = (value ?? {}) as { readonly role?: unknown };
  if (role === 'assistant') return assistantItems(value, path);
  if (role === 'tool') return [toolResult(value, path)];
  const fields = fieldsOf(value, path, { known: ['role', 'content'], dropped: ['name'] });
  const known = oneOf(fields, 'role', ['system', 'developer', 'user']) ?? missing(fields, 'role');
  const content = fields.values['content'] ?? missing(fields, 'content');
  const parts = partsIn(content, `${path}.content`, known === 'user' ? userPart : saidPart);
  return [{ kind: 'message', role: known, parts }];
}

function assistantItems(value: unknown, path: string): readonly AskedItem[] {
  const fields = fieldsOf(value, path, {
    known: ['role', 'content', 'refusal', 'tool_calls'],
    unsupported: ['audio', 'function_call'],
    dropped: OF_ASSISTANT,
  });
  const calls = listIn(fields, 'tool_calls', MOST.functions) ?? [];
  const items: AskedItem[] = calls.map((call, at) => toolCall(call, pathTo(`${path}.tool_calls`, at)));
  if (!has(fields, 'content')) {
    const refusal = textIn(fields, 'refusal', TEXT);
    // Where there is content it says all.
    if (refusal !== undefined)
      return [{ kind: 'message', role: 'assistant', parts: [refusalOf(refusal)] }, ...items];
    // What was answered without a text has null there.
    const isNull = (value as { readonly content?: unknown }).content === null;
    return calls.length > 0 || isNull ? items : missing(fields, 'content');
  }
  const parts = partsIn(fields.values['content'], `${path}.content`, saidPart);
  return [{ kind: 'message', role: 'assistant', parts }, ...items];
}

function toolCall(value: unknown, path: string): AskedItem {
  refuseOtherTypes(value, path, ['function']);
  const fields = fieldsOf(value, path, { known: ['id', 'type', 'function'], dropped: ['index'] });
  oneOf(fields, 'type', ['function']);
  const inner = fieldsOf(fields.values['function'] ?? missing(fields, 'function'), `${path}.function`, {
    known: ['name', 'arguments'],
    dropped: ['parsed_arguments'],
  });
  return {
    kind: 'call',
    id: requiredText(fields, 'id', ID),
    name: requiredText(inner, 'name', NAME),
    arguments: requiredText(inner, 'arguments', TEXT),
  };
}

function toolResult(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, { known: ['role', 'content', 'tool_call_id'], dropped: ['name'] });
  const content = fields.values['content'] ?? missing(fields, 'content');
  const output = wordsOf(partsIn(content, `${path}.content`, saidPart));
  return { kind: 'result', id: requiredText(fields, 'tool_call_id', ID), output };
}

function userPart(part: unknown, path: string): AskedPart {
  if (typeOf(part) !== 'image_url') return saidPart(part, path);
  const fields = fieldsOf(part, path, { known: ['type', 'image_url'], unsupported: UNSUPPORTED });
  const inner = fieldsOf(fields.values['image_url'] ?? missing(fields, 'image_url'), `${path}.image_url`, {
    known: ['url', 'detail'],
  });
  const url = requiredText(inner, 'url', { min: 1, max: MOST.text });
  requireImageUrl(url, `${path}.image_url.url`);
  const detail = oneOf(inner, 'detail', ['auto', 'low', 'high']);
  return { kind: 'image', url, ...(detail === undefined ? {} : { detail }) };
}

const refusalOf = (text: string): AskedPart => ({ kind: 'text', text, isRefusal: true });

function saidPart(part: unknown, path: string): AskedPart {
  const type = typeOf(part);
  if (type !== 'text' && type !== 'refusal') return unsupportedType(part, path);
  const dropped = type === 'text' ? [...OF_PART, 'refusal'] : OF_PART;
  const fields = fieldsOf(part, path, { known: ['type', type], unsupported: UNSUPPORTED, dropped });
  const text = requiredText(fields, type, TEXT);
  return type === 'refusal' ? refusalOf(text) : { kind: 'text', text };
}
