import {
  type ActionId,
  type ActionKind,
  type ActionOutcome,
  type Content,
  type OfferedTool,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type SessionId,
  isEndType,
  knownSessionEvent,
  sessionStream,
} from '#domain';
import type { EventLog } from '#event-log';
import type { ContentStore } from '#vault';

/** What became of an action, as the log holds it. Times are ms since 1970. */
export interface ActionRecord {
  readonly id: ActionId;
  readonly session: SessionId;
  readonly run: RunId;
  readonly kind: ActionKind;
  /** JSON text. */
  readonly asked: Content;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** null: nobody has decided, and its time is not known to be over */
  readonly resolved: ActionResolution | null;
  /** When its run ended while it was open, which closes it; null: that did not happen. */
  readonly overAt: number | null;
}

export interface ActionResolution {
  readonly decision: ActionOutcome;
  /** Id of the key; empty: nobody. */
  readonly actor: string;
  /** JSON text. */
  readonly content: Content;
  readonly at: number;
  /** What the agent was told as the result of the call, where the decision brought it. */
  readonly result: Content | null;
}

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/** Where an action stands. */
export interface ActionPlace {
  readonly session: SessionId;
  readonly id: ActionId;
  /** Revision of its `agent_action_required`. */
  readonly asked: Revision;
  /** Nothing has come of it, as is known: what stands behind it is not read. */
  readonly isOpen?: boolean;
}

/** The action that was asked at a revision of its session, read from there on; null: another event stands there. */
export async function readAction(
  log: EventLog,
  { session, id, asked, isOpen = false }: ActionPlace,
): Promise<ActionRecord | null> {
  let required: Of<'agent_action_required'> | null = null;
  let resolved: ActionResolution | null = null;
  const record = (overAt: number | null) => required && recordOf(session, required, resolved, overAt);
  for await (const page of log.readStream(sessionStream(session), {
    after: asked - 1,
    ...(isOpen ? { limit: 1 } : {}),
  }))
    for (const raw of page) {
      const event = knownSessionEvent(raw);
      if (required === null) {
        if (event?.type !== 'agent_action_required' || event.data.action_id !== id) return null;
        required = event;
        continue;
      }
      if (event === null || event.meta.run !== required.meta.run) continue;
      // The result stands directly behind the decision that brought it.
      if (resolved !== null) {
        resolved = withResult(resolved, event, id);
        return record(null);
      }
      if (event.type === 'agent_action_resolved' && event.data.action_id === id)
        resolved = resolutionOf(event);
      if (isEndType(event.type)) return record(event.time);
    }
  return record(null);
}

function recordOf(
  session: SessionId,
  { data, meta, time }: Of<'agent_action_required'>,
  resolved: ActionResolution | null,
  overAt: number | null,
): ActionRecord {
  return {
    id: data.action_id,
    session,
    run: meta.run ?? '',
    kind: data.kind,
    asked: data.content,
    createdAt: time,
    expiresAt: Date.parse(data.expires_at),
    resolved,
    overAt,
  };
}

const resolutionOf = ({ data, time }: Of<'agent_action_resolved'>): ActionResolution => ({
  decision: data.decision,
  actor: data.actor,
  content: data.content,
  at: time,
  result: null,
});

const withResult = (
  resolved: ActionResolution,
  event: RecordedSessionEvent,
  id: ActionId,
): ActionResolution =>
  (event.type === 'tool_call_completed' || event.type === 'tool_input_given') && event.data.action === id
    ? { ...resolved, result: event.data.content }
    : resolved;

/** The tool as the model was offered it last before a revision; null: the log does not say. */
export async function readOfferedTool(
  log: EventLog,
  contents: ContentStore,
  {
    session,
    run,
    before,
    name,
  }: {
    readonly session: SessionId;
    readonly run: RunId;
    readonly before: Revision;
    readonly name: string;
  },
): Promise<OfferedTool | null> {
  for await (const page of log.readStream(sessionStream(session), { backwards: true, after: before }))
    for (const raw of page) {
      const event = knownSessionEvent(raw);
      if (event === null || event.meta.run !== run) continue;
      if (event.type === 'run_requested') return null;
      if (event.type !== 'tools_offered') continue;
      const tools = JSON.parse(await contents.text(session, event.data.tools)) as readonly OfferedTool[];
      const found = tools.find((tool) => tool.name === name);
      if (found !== undefined) return found;
    }
  return null;
}
