import { HistoryFold, type HistoryMessage, type RecordedSessionEvent, isEndType } from '#domain/browser';
import { asRecorded, textOf } from './as-recorded.js';
import { decidedOf, objectOf, toldCall } from './asked.js';
import { besides } from './besides.js';
import { type CalledTool, CalledTools, isUnknown } from './called-tools.js';
import type { ConversationEvent, Item, ToolItem, UserItem } from './items.js';

type EventOf<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/**
 * Folds events into the items of a conversation. What people and the agent said is what the domain's own fold of the history
 * makes of them, and so is what a clear takes away; the rest stands beside it in the order of the events. Owns the items.
 */
export class ConversationFold {
  private items = new Map<string, { readonly at: number; readonly item: Item }>();
  private readonly history: HistoryFold;
  private readonly tools = new CalledTools();
  private readonly shown = new Map<string, CalledTool>();
  private readonly requests = new Map<string, UserItem>();
  private readonly times = new Map<number, number>();
  /** Messages for the run under way that it was not given yet, in their order. */
  private steering: UserItem[] = [];
  private now!: ConversationEvent;
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
    this.now = event;
    if (recorded !== null) this.note(recorded);
    // The first event of a fork closes what its parent was saying, which is still of the parent.
    if (recorded !== null) this.history.push(recorded);
    if (event.id <= this.last) this.base += this.last + 1;
    this.last = event.id;
    this.isInherited = isInherited;
    if (recorded !== null) this.show(recorded);
  }

  /** In the order of the conversation, with what waits to be said. */
  finish(): { readonly items: readonly Item[]; readonly queued: readonly UserItem[] } {
    const openSince = this.history.openSince;
    this.history.finish();
    const items = [...this.items.values()]
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => this.settled(item, openSince));
    return { items, queued: [...this.steering, ...this.requests.values()] };
  }

  private note(event: RecordedSessionEvent): void {
    const run = event.meta.run ?? '';
    if (event.type === 'agent_thinking_start' || event.type === 'agent_response_start')
      this.times.set(event.revision, event.time);
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
    const began = this.times.get(revision) ?? this.now.time;
    this.add(
      {
        ...this.placed(`${revision}`),
        event: revision,
        time: began,
        run,
        kind: type === 'agent_thinking' ? 'thinking' : 'response',
        text: textOf(pieces),
        isOpen: false,
        tookMs: this.now.time - began,
      },
      revision,
    );
  }

  private hear(run: string, revision: number, pieces: HistoryMessage['pieces']): void {
    const request = this.requests.get(run);
    const isSteering = this.now.type === 'agent_steered';
    if (request !== undefined && !isSteering) {
      this.requests.delete(run);
      return this.add(request, revision);
    }
    const placed = { ...this.placed(`${revision}`), event: revision, run };
    const { time } = this.now;
    const actor = (isSteering ? this.steering.shift()?.actor : undefined) ?? this.now.actor;
    this.add({ ...placed, time, kind: 'user', actor, text: textOf(pieces), isSteering }, revision);
  }

  private use(run: string, revision: number, content: HistoryMessage['pieces'][number]): void {
    const call = this.tools.use(run);
    const told = toldCall(content, this.now.line?.head);
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
    const item = besides(event, this.now.line?.head);
    if (item !== null) this.add({ ...this.placed(`${event.revision}`), ...item });
  }

  private decide({ data, time }: EventOf<'agent_action_resolved'>): void {
    for (const [key, { at, item }] of this.items)
      if (item.kind === 'action' && item.id === data.action_id)
        this.items.set(key, { at, item: { ...item, ...decidedOf(data, time) } });
  }

  private end(run: string): void {
    this.tools.end(run);
    for (const [key, { at, item }] of this.items)
      if (item.kind === 'action' && item.run === run && item.status === 'open')
        this.items.set(key, { at, item: { ...item, status: 'cancelled' } });
  }

  /** What somebody still has to decide on stays: only the history is empty. */
  private clear(): void {
    const open = [...this.items].filter(([, { item }]) => item.kind === 'action' && item.status === 'open');
    this.items = new Map(open);
  }

  private settled(item: Item, openSince: number | null): Item {
    if (item.kind === 'thinking' || item.kind === 'response')
      return item.event === openSince && !item.isInherited ? { ...item, isOpen: true, tookMs: null } : item;
    if (item.kind !== 'tool') return item;
    const call = this.shown.get(item.key);
    return call === undefined ? item : withCall(item, call);
  }

  private placed(key: string) {
    const { id: event, time, run = '', session } = this.now;
    const isInherited = this.isInherited;
    return { key: isInherited ? `${session ?? 'before'}:${key}` : key, event, time, run, isInherited };
  }

  private add(item: Item, at: number = this.now.id): void {
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
