import { type Revision, type RunConfig, type SessionId, type TurnToolCall } from '#domain';
import type { ShownCall } from './face-call.js';
import { itemId } from './ids.js';
import { type McpCallItem, OWN_LABEL, mcpError } from './items.js';
import type { Passage } from './passage.js';

/** A call that the caller carries out: all of it is known at once. */
export function sayFunctionCall(
  passage: Passage,
  session: SessionId,
  use: Revision,
  { name, arguments: input }: TurnToolCall,
): void {
  const id = itemId('fc', session, use);
  const call_id = itemId('call', session, use);
  const begun = { id, type: 'function_call', status: 'in_progress', arguments: '', call_id, name } as const;
  const entry = passage.add(begun);
  const at = { item_id: id, output_index: entry.index };
  passage.say('function_call_arguments.delta', () => ({ ...at, delta: input }));
  passage.say('function_call_arguments.done', () => ({ ...at, arguments: input }));
  passage.close(entry, { ...begun, status: 'completed', arguments: input });
}

/** @param begun revision of the tool use, or of the decision that released the call */
export function openMcpCall(
  passage: Passage,
  session: SessionId,
  begun: Revision,
  { name, server, tool, arguments: input }: TurnToolCall,
  approval_request_id: string | null = null,
): ShownCall {
  const id = itemId('mcp', session, begun);
  const made: McpCallItem = {
    id,
    type: 'mcp_call',
    status: 'in_progress',
    server_label: server ?? OWN_LABEL,
    name: tool ?? name,
    arguments: input,
    output: null,
    error: null,
    approval_request_id,
  };
  const entry = passage.add({ ...made, arguments: '' });
  entry.item = made;
  const at = { item_id: id, output_index: entry.index };
  passage.say('mcp_call.in_progress', () => at);
  passage.say('mcp_call_arguments.delta', () => ({ ...at, delta: input }));
  passage.say('mcp_call_arguments.done', () => ({ ...at, arguments: input }));
  return {
    end(output, isError) {
      passage.say(isError ? 'mcp_call.failed' : 'mcp_call.completed', () => at);
      const came = isError ? { error: mcpError(output) } : { output };
      passage.close(entry, { ...made, status: isError ? 'failed' : 'completed', ...came });
    },
    cutOff() {
      passage.close(entry, { ...made, status: 'incomplete' });
    },
  };
}

/** Whether the call is of a tool that the caller carries out. */
export const isCallers = ({ name, server, needs }: TurnToolCall, { tools = [] }: RunConfig): boolean =>
  needs === 'caller' || (server === undefined && tools.some((tool) => tool.name === name));
