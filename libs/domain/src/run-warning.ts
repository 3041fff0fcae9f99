import type { SessionEvent } from './session-events.js';

/** What the agent had to do without, or what is missing of what it was sent. */
export interface RunWarning {
  readonly code: string;
  /** A sentence for people. */
  readonly reason: string;
  /** The tool server that it is about, as the caller named it. */
  readonly server?: string;
  /** The tools that it is about, as the model knows them. */
  readonly tools?: readonly string[];
}

/** Of more than these a run tells nothing: somebody else decides how many there are. */
export const MAX_WARNINGS = 100;
/** UTF-16 units. */
const MAX_REASON = 2000;
const MAX_TOOLS = 100;

type WarningEvent = Extract<SessionEvent, { type: 'agent_warning' }>;

export function warningEvent({ code, reason, server, tools }: RunWarning): WarningEvent {
  const told: RunWarning = {
    code,
    reason: reason.slice(0, MAX_REASON).toWellFormed(),
    ...(server === undefined ? {} : { server }),
    ...(tools === undefined ? {} : { tools: tools.slice(0, MAX_TOOLS) }),
  };
  return { type: 'agent_warning', data: { content: JSON.stringify(told) } };
}

export const warningOf = ({ data }: WarningEvent): RunWarning => JSON.parse(data.content) as RunWarning;
