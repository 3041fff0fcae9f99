import type { GivenItem, GivenPart } from '#domain';
import type { McpCallItem, MessageItem, OutputItem } from './items.js';
import { actionOfRequest } from './ids.js';
import type { ShownItem } from './given-view.js';

/** An item that lists show as what it would be if it were given; null: it would be read and not used. */
export function givenOf(item: ShownItem | OutputItem): GivenItem | null {
  const { type } = item;
  const fields = item as Readonly<Record<string, unknown>>;
  switch (type) {
    case 'message': {
      const { role, content } = fields as { role: MessageItem['role']; content: readonly ShownPart[] };
      return { kind: 'message', role, parts: content.map(partOf) };
    }
    case 'function_call': {
      const { call_id: id, name, arguments: input } = fields as Record<string, string>;
      return { kind: 'call', id: id ?? '', name: name ?? '', arguments: input ?? '' };
    }
    case 'function_call_output': {
      const { call_id: id, output } = fields as Record<string, string>;
      return { kind: 'result', id: id ?? '', output: output ?? '' };
    }
    case 'mcp_call':
      return serverCallOf(item as McpCallItem);
    case 'mcp_approval_request': {
      const { id, server_label: server, name, arguments: input } = fields as Record<string, string>;
      return {
        kind: 'question',
        id: id ?? '',
        server: server ?? '',
        name: name ?? '',
        arguments: input ?? '',
      };
    }
    case 'mcp_approval_response': {
      const {
        approval_request_id: id,
        approve,
        reason,
      } = fields as {
        approval_request_id: string;
        approve: boolean;
        reason: string | null;
      };
      const action = actionOfRequest(id);
      if (action === null) return null;
      return { kind: 'decision', action, isApproved: approve, ...(reason === null ? {} : { reason }) };
    }
    default:
      return null;
  }
}

interface ShownPart {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly image_url?: string;
  readonly detail?: string;
}

function partOf({
  type,
  text = '',
  refusal = '',
  image_url: url = '',
  detail = 'auto',
}: ShownPart): GivenPart {
  if (type === 'input_image') return { kind: 'image', url, detail };
  return type === 'refusal' ? { kind: 'text', text: refusal, isRefusal: true } : { kind: 'text', text };
}

function serverCallOf({ id, server_label, name, arguments: input, output, error }: McpCallItem): GivenItem {
  const text = output ?? (error?.content ?? []).map((part) => part.text).join('');
  const isError = error === null ? {} : { isError: true as const };
  return { kind: 'server_call', id, server: server_label, name, arguments: input, output: text, ...isError };
}
