import { actionOfRequest } from '../ids.js';
import type { AskedItem } from './asked-item.js';
import { type Fields, fieldsOf, flagIn, missing, oneOf, pathTo, requiredText, textIn } from './fields.js';
import { MOST } from './limits.js';
import { partsOf } from './message-parts.js';
import { typeOf, unsupportedType, wordsOf } from './parts.js';
import { refused } from './refusals.js';

/** Clients send back what they got. */
const SENT_BACK = ['id', 'status', 'phase', 'annotations', 'logprobs', 'parsed_arguments', 'created_by'];
/** `async_` is how Python names `async` where it writes fields by their own names. */
const EMPTY = ['caller', 'namespace', 'async', 'async_'];
const ID = { min: 1, max: MOST.id };
const NAME = { min: 1, max: MOST.name };
const TEXT = { max: MOST.text };

/** Items of a request, in their order; what is read and not used is left out. @throws Problem naming the item */
export function itemsOf(values: readonly unknown[], path: string): readonly AskedItem[] {
  return values.flatMap((value, index) => {
    const item = itemOf(value, pathTo(path, index));
    return item === null ? [] : [item];
  });
}

function itemOf(value: unknown, path: string): AskedItem | null {
  const type = typeOf(value) ?? (isReference(value) ? 'item_reference' : 'message');
  switch (type) {
    case 'message':
      return message(value, path);
    case 'function_call':
      return functionCall(value, path);
    case 'function_call_output':
      return functionCallOutput(value, path);
    case 'mcp_approval_response':
      return approvalResponse(value, path);
    case 'mcp_call':
      return mcpCall(value, path);
    case 'mcp_approval_request':
      return approvalRequest(value, path);
    case 'item_reference': {
      const fields = fieldsOf(value, path, { known: ['type', 'id'] });
      return { kind: 'reference', id: requiredText(fields, 'id', ID), path: `${path}.id` };
    }
    case 'reasoning':
      fieldsOf(value, path, {
        known: [],
        dropped: ['type', 'summary', 'content', 'encrypted_content', ...SENT_BACK],
      });
      return null;
    case 'mcp_list_tools':
      fieldsOf(value, path, { known: [], dropped: ['type', 'server_label', 'tools', 'error', ...SENT_BACK] });
      return null;
    default:
      return unsupportedType(value, path);
  }
}

/** Without a type it is told from a message by its having nothing but an id. */
const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'id' in value && !('role' in value || 'content' in value);

function message(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, {
    known: ['type', 'role', 'content'],
    dropped: SENT_BACK,
    empty: EMPTY,
  });
  const role = oneOf(fields, 'role', ['user', 'assistant', 'system', 'developer']) ?? missing(fields, 'role');
  const content = fields.values['content'] ?? missing(fields, 'content');
  return { kind: 'message', role, parts: partsOf(content, role, `${path}.content`) };
}

function functionCall(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, {
    known: ['type', 'call_id', 'name', 'arguments'],
    dropped: SENT_BACK,
    empty: EMPTY,
  });
  return {
    kind: 'call',
    id: requiredText(fields, 'call_id', ID),
    name: requiredText(fields, 'name', NAME),
    arguments: requiredText(fields, 'arguments', TEXT),
  };
}

function functionCallOutput(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, {
    known: ['type', 'call_id', 'output'],
    dropped: SENT_BACK,
    empty: [...EMPTY, 'name'],
  });
  const output = fields.values['output'] ?? missing(fields, 'output');
  return {
    kind: 'result',
    id: requiredText(fields, 'call_id', ID),
    output: wordsOf(partsOf(output, 'tool', `${path}.output`)),
  };
}

function approvalResponse(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, {
    known: ['type', 'approval_request_id', 'approve', 'reason'],
    dropped: SENT_BACK,
  });
  const id = requiredText(fields, 'approval_request_id', ID);
  const action = actionOfRequest(id);
  if (action === null) {
    const at = `${path}.approval_request_id`;
    throw refused('invalid_value', at, `No approval request found for ${id.slice(0, 100)}.`);
  }
  const isApproved = flagIn(fields, 'approve') ?? missing(fields, 'approve');
  const reason = textIn(fields, 'reason', { max: MOST.description });
  return { kind: 'decision', action, isApproved, ...(reason === undefined ? {} : { reason }) };
}

const ofServer = (fields: Fields) => ({
  server: requiredText(fields, 'server_label', NAME),
  name: requiredText(fields, 'name', NAME),
  arguments: requiredText(fields, 'arguments', TEXT),
});

function mcpCall(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, {
    known: ['type', 'id', 'server_label', 'name', 'arguments', 'output', 'error'],
    dropped: ['approval_request_id', ...SENT_BACK],
  });
  const error = fields.values['error'];
  const output = error === undefined ? (textIn(fields, 'output', TEXT) ?? '') : errorText(error);
  const isError = error === undefined ? {} : { isError: true as const };
  return { kind: 'server_call', id: requiredText(fields, 'id', ID), ...ofServer(fields), output, ...isError };
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error.slice(0, MOST.text);
  const { content, message } = error as { readonly content?: unknown; readonly message?: unknown };
  if (typeof message === 'string') return message;
  const parts = Array.isArray(content) ? (content as readonly { readonly text?: unknown }[]) : [];
  return parts.map((part) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

function approvalRequest(value: unknown, path: string): AskedItem {
  const fields = fieldsOf(value, path, {
    known: ['type', 'id', 'server_label', 'name', 'arguments'],
    dropped: SENT_BACK,
  });
  return { kind: 'question', id: requiredText(fields, 'id', ID), ...ofServer(fields) };
}
