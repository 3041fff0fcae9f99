import {
  type Content,
  type GivenItem,
  type GivenPart,
  type Revision,
  type SessionId,
  isFileRef,
} from '#domain';
import { approvalRequestId, itemId } from './ids.js';
import { mcpError, outputText } from './items.js';

/** An item as lists show it. */
export interface ShownItem {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Texts have been read by whoever feeds the folds. */
export const textOf = (content: Content): string => (isFileRef(content) ? '' : content);

/** What a run without a response's request was given: its message. */
export const messageGiven = (message: Content): readonly GivenItem[] => [
  { kind: 'message', role: 'user', parts: [{ kind: 'text', text: message }] },
];

/** Given items as lists show them. @param event the revision of the event that holds them */
export const shownItems = (
  items: readonly GivenItem[],
  session: SessionId,
  event: Revision,
): readonly ShownItem[] => items.map((item, at) => shownItem(item, session, event, at));

function shownItem(item: GivenItem, session: SessionId, event: Revision, at: number): ShownItem {
  const status = 'completed';
  const idOf = (prefix: 'msg' | 'fc' | 'fco' | 'mcp' | 'mcpa') => itemId(prefix, session, event, at);
  switch (item.kind) {
    case 'message': {
      const { role, parts } = item;
      const content = parts.map(role === 'assistant' ? saidPart : givenPart);
      return { id: idOf('msg'), type: 'message', status, role, content };
    }
    case 'call':
      return {
        id: idOf('fc'),
        type: 'function_call',
        status,
        arguments: textOf(item.arguments),
        call_id: item.id,
        name: item.name,
      };
    case 'result':
      return outputItem(idOf('fco'), item.id, textOf(item.output));
    case 'server_call': {
      const text = textOf(item.output);
      const came = item.isError ? { output: null, error: mcpError(text) } : { output: text, error: null };
      const { server: server_label, name } = item;
      return {
        id: idOf('mcp'),
        type: 'mcp_call',
        status: item.isError ? 'failed' : status,
        server_label,
        name,
        arguments: textOf(item.arguments),
        ...came,
        approval_request_id: null,
      };
    }
    case 'question': {
      const { id, name, server: server_label } = item;
      return { id, type: 'mcp_approval_request', arguments: textOf(item.arguments), name, server_label };
    }
    case 'decision':
      return decisionItem(idOf('mcpa'), item);
  }
}

export function decisionItem(
  id: string,
  {
    action,
    isApproved,
    reason = null,
  }: Pick<Extract<GivenItem, { kind: 'decision' }>, 'action' | 'isApproved'> & {
    readonly reason?: string | null;
  },
): ShownItem {
  const approval_request_id = approvalRequestId(action);
  return { id, type: 'mcp_approval_response', approval_request_id, approve: isApproved, reason };
}

export const outputItem = (id: string, call_id: string, output: string): ShownItem => ({
  id,
  type: 'function_call_output',
  status: 'completed',
  call_id,
  output,
});

function saidPart(part: GivenPart): object {
  const text = part.kind === 'text' ? textOf(part.text) : '';
  const isRefusal = part.kind === 'text' && part.isRefusal === true;
  return isRefusal ? { type: 'refusal', refusal: text } : outputText(text);
}

const givenPart = (part: GivenPart): object =>
  part.kind === 'text'
    ? { type: 'input_text', text: textOf(part.text) }
    : { type: 'input_image', detail: part.detail ?? 'auto', file_id: null, image_url: textOf(part.url) };
