import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client';
import { McpFailure, type RpcError } from './mcp-failure.js';

/** Error codes of the specification of 2026-07-28. */
export const RPC_CODES = {
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  invalidParams: -32602,
} as const;

/**
 * What a server sent, in the one form that the SDK takes: it ignores an answer with a field too many, or a `_meta` that it
 * does not like, and the request would wait for ever. undefined: this is no message.
 */
export function readMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params, result, error } = value;
  if (typeof method === 'string') {
    const body = { jsonrpc: '2.0', method, ...(isRecord(params) ? { params } : {}) } as const;
    return isId(id) ? { ...body, id } : body;
  }
  if (!isId(id)) return undefined;
  if (isRecord(result)) return { jsonrpc: '2.0', id, result: { ...result, _meta: undefined } };
  const failure = rpcErrorIn({ error });
  return failure && { jsonrpc: '2.0', id, error: failure };
}

/** The error of an answer, if it is one. */
export function rpcErrorIn({ error }: Readonly<Record<string, unknown>>): RpcError | undefined {
  if (!isRecord(error)) return undefined;
  const { code, message, data } = error;
  if (!Number.isSafeInteger(code)) return undefined;
  return { code: code as number, message: typeof message === 'string' ? message : '', data };
}

/** The messages in a text that should be JSON. @throws McpFailure */
export function parseMessages(text: string): readonly unknown[] {
  try {
    const value = JSON.parse(text) as unknown;
    return Array.isArray(value) ? value : [value];
  } catch {
    throw new McpFailure('nonsense', 'gave an answer that is not JSON');
  }
}

/** Whether this claims to be the answer to a request, in however broken a form. */
export function isAnswerTo(value: unknown, id: RequestId): boolean {
  return isRecord(value) && value['method'] === undefined && String(value['id']) === String(id);
}

/** Whether this claims to be a request or a notification. */
export const isCall = (value: unknown): boolean => isRecord(value) && value['method'] !== undefined;

/** What an answer that names another request, or none, means for the request that it came to. */
export function otherAnswer(value: unknown): McpFailure {
  // An error that names no request can be about this one only.
  const error = isRecord(value) && (value['id'] ?? null) === null ? rpcErrorIn(value) : undefined;
  return error === undefined
    ? new McpFailure('nonsense', 'gave an answer to something else')
    : McpFailure.ofError(error);
}

export const isRequest = (
  message: JSONRPCMessage,
): message is Extract<JSONRPCMessage, { method: string; id: RequestId }> =>
  'method' in message && 'id' in message;

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isId = (id: unknown): id is RequestId => typeof id === 'string' || Number.isSafeInteger(id);
