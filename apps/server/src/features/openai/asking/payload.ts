import { hash } from 'node:crypto';

/** What must be the same in a repeat: all that was sent, but where tools are and how one comes in there. */
export function payloadOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { tools, ...rest } = body as { readonly tools?: unknown };
  if (!Array.isArray(tools)) return body;
  return { ...rest, tools: tools.map(withoutAddress) };
}

function withoutAddress(tool: unknown): unknown {
  if (typeof tool !== 'object' || tool === null) return tool;
  const {
    server_url: _,
    authorization: __,
    headers: ___,
    ...rest
  } = tool as Readonly<Record<string, unknown>>;
  return rest;
}

/** Hex SHA-256 of it, whatever the order of fields in which it came. */
export const payloadHash = (sent: unknown): string =>
  hash('sha256', JSON.stringify(sorted(Array.isArray(sent) ? sent.map(payloadOf) : payloadOf(sent))), 'hex');

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]));
}
