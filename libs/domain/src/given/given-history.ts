import type { Content } from '../content.js';
import { hasLossyNumber } from '../lossy-number.js';
import { type GivenItem, textsOf } from './given-item.js';

interface GivenMessage {
  readonly type: 'user_message' | 'agent_response' | 'agent_tool_use';
  readonly pieces: readonly Content[];
}

type GivenCall = Extract<GivenItem, { kind: 'call' | 'server_call' }>;

/** What given items are in the history: what people and agents said, and the calls. */
export function givenHistory(items: readonly GivenItem[]): readonly GivenMessage[] {
  return items.flatMap((item): readonly GivenMessage[] => {
    if (item.kind === 'call' || item.kind === 'server_call')
      return [{ type: 'agent_tool_use', pieces: piecesOf(item) }];
    if (item.kind !== 'message' || item.role === 'system' || item.role === 'developer') return [];
    const type = item.role === 'user' ? 'user_message' : 'agent_response';
    const pieces = textsOf(item.parts);
    return pieces.length === 0 ? [] : [{ type, pieces }];
  });
}

function piecesOf({ name, arguments: input }: GivenCall): readonly Content[] {
  if (typeof input === 'string') return [JSON.stringify({ tool: name, input: inputOf(input) })];
  // JSON as it was written; nobody has read it here.
  return [`{"tool":${JSON.stringify(name)},"input":`, input, '}'];
}

function inputOf(text: string): unknown {
  try {
    const input: unknown = JSON.parse(text);
    return hasLossyNumber(text) ? text : input;
  } catch {
    return text;
  }
}
