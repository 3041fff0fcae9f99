import { type Content, type RecordedSessionEvent, isEndType } from '#domain/browser';
import { HistoryFold, type HistoryMessage } from '#projections';
import { asRecorded, textOf } from './as-recorded.js';
import { decidedOf, objectOf, toldCall } from './asked.js';
import { besides } from './besides.js';
import { type CalledTool, CalledTools, isUnknown } from './called-tools.js';
import type { ActionItem, ConversationEvent, Item, ToolItem, UserItem } from './items.js';

type EventOf<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

interface Entry {
  /** Its place in the conversation. */
  readonly at: number;
  readonly item: Item;
}

interface OpenBlock {
  readonly kind: 'thinking' | 'response';
  readonly revision: number;
  readonly time: number;
  readonly run: string;
  readonly pieces: Content[];
}

export interface ConversationAt {
  /** In the order of the conversation. */
  readonly items: readonly Item[];
  /** What was sent and waits: for its run's turn, or for the turn of the run under way. */
  readonly queued: readonly UserItem[];
}

/**
 * Folds events into the items of a conversation. What people and the agent said is what the domain's own fold of the history
 * makes of them, and so is what a clear takes away; the rest stands beside it in the order of the events. Owns the items.
 */
export class ConversationFold {
  private items = new Map<string, Entry>();
  /** Keys of the actions that nobody has decided on, by their ids. */
  private readonly asked = new Map<string, string>();
  private readonly history: HistoryFold;
  private readonly tools = new CalledTools();
  private readonly shown = new Map<string, CalledTool>();
  private readonly requests = new Map<string, UserItem>();
  /** The block that was opened last. */
  private open: OpenBlock | null = null;
  /** The one before it, which the event that opened it may have closed. */
  private closing: OpenBlock | null = null;
  /** Messages for the run under way that it was not given yet, in their order. */
  private steering: UserItem[] = [];
  private event!: ConversationEvent;
  private isInherited = false;
  /** Place in the conversation of the first event of the session that is folded. */
  private base = 0;
  private last = -1;

  constructor() {
    this.history = new HistoryFold({
      add: (message) => this.say(message),
      addRequest: () => undefined,
      clear: () => this.clear(),
    });
  }

  /** What was inherited comes first, all of it. */
  push(event: ConversationEvent, isInherited = false): void {
    const recorded = asRecorded(event);
    this.event = event;
    if (recorded !== null) this.note(recorded);
    // The first event of a fork closes what its parent was saying, which is still of the parent.
    if (recorded !== null) this.history.push(recorded);
    if (event.id <= this.last) this.base += this.last + 1;
    this.last = event.id;
    this.isInherited = isInherited;
    if (recorded !== null) this.show(recorded);
  }

  /** What there is now, in the order of the conversation, with what waits to be said. More can be pushed afterwards. */
  get now(): ConversationAt {
    const entries = [...this.items.values()];
    const open = this.openBlock();
    if (open !== null) entries.push(open);
    // Blocks stand where they begin, and are known when they are closed.
    entries.sort((a, b) => a.at - b.at);
    const items = entries.map(({ item }) => this.settled(item));
    return { items, queued: [...this.steering, ...this.requests.values()] };
  }

  /** The block that is still being written: it appears with the text so far. */
  private openBlock(): Entry | null {
    const { open, history } = this;
    if (open === null || history.openSince !== open.revision || history.hides || open.pieces.length === 0)
      return null;
    const { kind, revision, time, run, pieces } = open;
    const placed = { ...this.placed(`${revision}`), event: revision, time, run };
    const item: Item = { ...placed, kind, text: textOf(pieces), isOpen: true, tookMs: null };
    return { at: this.base + revision, item };
  }

  private note(event: RecordedSessionEvent): void {
    const run = event.meta.run ?? '';
    const { type } = event;
    if (type === 'agent_thinking_start' || type === 'agent_response_start') {
      const kind = type === 'agent_thinking_start' ? 'thinking' : 'response';
      this.closing = this.open;
      this.open = { kind, revision: event.revision, time: event.time, run, pieces: [] };
    } else if (type === 'agent_thinking' || type === 'agent_response') {
      if (this.open !== null && type === `agent_${this.open.kind}`) this.open.pieces.push(event.data.content);
    }
    if (event.type === 'run_requested') this.request(run, event);
    else if (event.type === 'run_steered') this.steer(run, event);
    else if (event.type === 'model_turn_completed') this.tools.turn(run, event.data);
    else if (event.type === 'tool_call_completed') this.tools.result(run, event.data, event.time);
    else if (event.type === 'agent_tool_response') this.respond(run, event);
  }

  private request(run: string, { revision, time, data, meta }: EventOf<'run_requested'>): void {
    const placed = { ...this.placed(`run:${run}`), event: revision, time, run };
    const text = textOf([data.message]);
    const item: UserItem = { ...placed, kind: 'user', actor: meta.actor, text, isSteering: false };
    if (data.retry_of !== undefined) this.tools.retry(run, data.retry_of.run);
    else this.requests.set(run, item);
  }

  private steer(run: string, { revision, time, data, meta }: EventOf<'run_steered'>): void {
    const placed = { ...this.placed(`steer:${revision}`), event: revision, time, run };
    const text = textOf([data.content]);
    this.steering.push({ ...placed, kind: 'user', actor: data.actor || meta.actor, text, isSteering: true });
  }

  private respond(run: string, { data, time }: EventOf<'agent_tool_response'>): void {
    const content = objectOf(data.content)?.['content'];
    this.tools.response(run, typeof content === 'string' ? content : data.content, time);
  }

  /** A message of the history. */
  private say({ type, run, revision, pieces }: HistoryMessage): void {
    if (type === 'agent_tool_use') return this.use(run, revision, pieces[0] ?? '{}');
    if (type === 'user_message') return this.hear(run, revision, pieces);
    const block = [this.open, this.closing].find((one) => one?.revision === revision);
    const began = block?.time ?? this.event.time;
    this.add(
      {
        ...this.placed(`${revision}`),
        event: revision,
        time: began,
        run,
        kind: type === 'agent_thinking' ? 'thinking' : 'response',
        text: textOf(pieces),
        isOpen: false,
        tookMs: this.event.time - began,
      },
      revision,
    );
  }

  private hear(run: string, revision: number, pieces: HistoryMessage['pieces']): void {
    const request = this.requests.get(run);
    const isSteering = this.event.type === 'agent_steered';
    if (request !== undefined && !isSteering) {
      this.requests.delete(run);
      return this.add(request, revision);
    }
    const placed = { ...this.placed(`${revision}`), event: revision, run };
    const { time } = this.event;
    const actor = (isSteering ? this.steering.shift()?.actor : undefined) ?? this.event.actor;
    this.add({ ...placed, time, kind: 'user', actor, text: textOf(pieces), isSteering }, revision);
  }

  private use(run: string, revision: number, content: HistoryMessage['pieces'][number]): void {
    const call = this.tools.use(run);
    const told = toldCall(content, this.event.line?.head);
    const placed = this.placed(`${revision}`);
    this.shown.set(placed.key, call);
    this.add({
      ...placed,
      kind: 'tool',
      tool: told.tool,
      input: told.input,
      result: null,
      state: 'open',
      tookMs: null,
      step: call.step,
    });
  }

  /** What stands beside the history. */
  private show(event: RecordedSessionEvent): void {
    const run = event.meta.run ?? '';
    if (isEndType(event.type)) this.end(run);
    if (event.type === 'agent_started') this.requests.delete(run);
    if (event.type === 'agent_action_resolved') return this.decide(event);
    if (this.history.hides && event.type !== 'agent_action_required') return;
    const item = besides(event, this.event.line?.head);
    if (item === null) return;
    const placed = this.placed(`${event.revision}`);
    if (item.kind === 'action') this.asked.set(item.id, placed.key);
    this.add({ ...placed, ...item });
  }

  private decide({ data, time }: EventOf<'agent_action_resolved'>): void {
    this.close(data.action_id, decidedOf(data, time));
  }

  private end(run: string): void {
    this.tools.end(run);
    for (const [id, key] of this.asked)
      if (this.items.get(key)?.item.run === run) this.close(id, { status: 'cancelled' });
  }

  private close(id: string, changes: Partial<ActionItem>): void {
    const key = this.asked.get(id) ?? '';
    const entry = this.items.get(key);
    this.asked.delete(id);
    if (entry?.item.kind === 'action') this.items.set(key, { ...entry, item: { ...entry.item, ...changes } });
  }

  /** What somebody still has to decide on stays: only the history is empty. */
  private clear(): void {
    const open = new Set(this.asked.values());
    this.items = new Map([...this.items].filter(([key]) => open.has(key)));
  }

  private settled(item: Item): Item {
    if (item.kind !== 'tool') return item;
    const call = this.shown.get(item.key);
    return call === undefined ? item : withCall(item, call);
  }

  private placed(key: string) {
    const { id: event, time, run = '', session } = this.event;
    const isInherited = this.isInherited;
    return { key: isInherited ? `${session ?? 'before'}:${key}` : key, event, time, run, isInherited };
  }

  private add(item: Item, at: number = this.event.id): void {
    this.items.set(item.key, { at: this.base + at, item });
  }
}

function withCall(item: ToolItem, { result, isError, isOver, needs, at, ...call }: CalledTool): ToolItem {
  if (result === null) return { ...item, state: isOver ? 'unknown' : needs ? 'waiting' : 'open' };
  const state = isUnknown({ ...call, result, isError, isOver, needs, at })
    ? 'unknown'
    : isError
      ? 'failed'
      : 'done';
  return { ...item, result: textOf([result]), state, tookMs: at === null ? null : at - item.time };
}
