import type { Content, RecordedSessionEvent } from '#domain/browser';
import { jsonTree, rawOf } from './json-tree.js';
import { begun, textOf } from './as-recorded.js';
import type { ActionItem, Text } from './items.js';

type DataOf<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>['data'];

/** A call as an event tells it: the tool, and its input as the JSON text that stands there. */
export interface ToldCall {
  readonly tool: string;
  readonly input: Text;
}

/** @param content JSON text of {`tool`, `input`}; the input keeps every digit that a number was written with */
export function toldCall(content: Content, head = ''): ToldCall {
  if (typeof content !== 'string') return { tool: toolOfHead(head), input: textOf([content]) };
  const parsed = objectOf(content);
  const tool = typeof parsed?.['tool'] === 'string' ? parsed['tool'] : '';
  const before = `{"tool":${JSON.stringify(tool)},"input":`;
  if (content.startsWith(before)) return { tool, input: [content.slice(before.length, -1)] };
  return { tool, input: [JSON.stringify(parsed?.['input'] ?? null)] };
}

/** Of data that are cut off: JSON text whose `content` is JSON text itself. */
function toolOfHead(head: string): string {
  const content = /"content":"((?:[^"\\]|\\.)*)/.exec(head)?.[1] ?? '';
  return begun(content.replaceAll('\\"', '"'))['tool'] ?? '';
}

export function objectOf(text: Content): Readonly<Record<string, unknown>> | null {
  if (typeof text !== 'string') return null;
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** What an action is about, for people: a tool where there is one. */
export function aboutOf(kind: string, asked: Readonly<Record<string, unknown>> | null): string {
  const tool = asked?.['tool'];
  if (typeof tool === 'string' && tool !== '') return tool;
  return kind.replaceAll('_', ' ');
}

type Asked = Pick<
  ActionItem,
  | 'id'
  | 'asks'
  | 'asked'
  | 'input'
  | 'about'
  | 'expiresAt'
  | 'status'
  | 'decision'
  | 'decidedBy'
  | 'decidedAt'
  | 'reason'
  | 'carriedOut'
>;

export function askedOf(
  { action_id, kind, content, expires_at }: DataOf<'agent_action_required'>,
  head = '',
): Asked {
  const isCall = kind === 'approval' || kind === 'tool';
  const call = isCall ? toldCall(content, head) : null;
  const asked = objectOf(content);
  return {
    id: action_id,
    asks: kind,
    asked,
    input: call?.input ?? [],
    about: call?.tool || aboutOf(kind, asked),
    expiresAt: Date.parse(expires_at),
    status: 'open',
    decision: null,
    decidedBy: '',
    decidedAt: null,
    reason: '',
    carriedOut: null,
  };
}

export function decidedOf(data: DataOf<'agent_action_resolved'>, time: number): Partial<Asked> {
  const reason = objectOf(data.content)?.['reason'];
  return {
    status: data.decision === 'expired' ? 'expired' : 'resolved',
    decision: data.decision,
    decidedBy: data.actor,
    decidedAt: time,
    reason: typeof reason === 'string' ? reason : '',
    carriedOut: changedInput(data),
  };
}

/** The input as it was written, with all digits of its numbers. Only a changed one makes a decision too long for its event. */
function changedInput({ decision, content }: DataOf<'agent_action_resolved'>): string | null {
  if (decision !== 'approve') return null;
  if (typeof content !== 'string') return '';
  const node = jsonTree(content);
  if (node?.kind !== 'object' || !('members' in node)) return null;
  const input = node.members.find(({ key }) => key === '"input"');
  return input === undefined ? null : rawOf(input.value);
}
