import { type Fork, type SessionEvent, sessionStream } from '#domain';
import type { EventLog } from '#event-log';
import {
  claimed,
  costs,
  encoded,
  event,
  newSession,
  requested,
  said,
  type Step,
  thought,
  turn,
  used,
} from './read-models-fixture.js';

/** Numbers that a seed repeats. */
export function seeded(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const TEXTS = ['a', ' word', '\u2028', '👩‍👩‍👧', '\u0000', 'x'.repeat(300), '\\"', '\n', ',', ' '];

type End = Extract<SessionEvent, { type: 'agent_completed' | 'agent_cancelled' | 'agent_error' }>;

/** A session whose runs do whatever the log allows, one append at a time. */
export class Story {
  readonly session = newSession();
  private revision = -1;
  private runs = 0;
  private current: string | null = null;
  private epoch = 1;
  private requestedAt = 0;
  private isCancelling = false;
  private waiting: { run: string; requested: number; isCancelled: boolean }[] = [];
  private steps = 0;

  constructor(
    private readonly log: EventLog,
    private readonly pick: (below: number) => number,
    /** Absent: it begins with nothing. */
    private readonly fork?: Fork,
  ) {}

  /** Appends what happens next. */
  async next(): Promise<void> {
    await this.write(this.choose());
  }

  /** Ends the runs that are there, so that nothing is left open. */
  async end(): Promise<void> {
    while (this.current !== null || this.waiting.length > 0) await this.write(this.finish());
  }

  /** Appends what somebody else says of it. */
  async note(...steps: readonly Step[]): Promise<void> {
    await this.write(steps);
  }

  private choose(): Step[] {
    if (this.revision < 0) return this.open();
    if (this.current === null) return this.waiting.length > 0 ? this.start() : this.request();
    const chance = this.pick(100);
    if (chance < 6) return this.request();
    if (chance < 10) return this.cancel();
    if (chance < 13) return [event('messages_cleared')];
    if (chance < 16) return this.takeOver();
    if (chance < 19) return this.refuse();
    if (chance < 26) return this.finish();
    return this.write1(this.current);
  }

  private open(): Step[] {
    if (this.fork !== undefined) return [{ type: 'session_opened', data: this.fork }];
    const asked = this.request();
    this.waiting = this.waiting.map((w) => ({ ...w, requested: 1 }));
    const opened = [event('session_opened', asked[0]?.run), ...asked];
    // Now and then there is no room for it yet.
    return this.pick(4) === 0 ? opened : [...opened, ...this.start()];
  }

  private request(): Step[] {
    if (this.current !== null && this.pick(8) === 0) return [requested(this.current, 'again')];
    this.runs += 1;
    const run = `run_${this.session}_${this.runs}`;
    this.waiting.push({ run, requested: this.revision + 1, isCancelled: false });
    return [requested(run, this.text())];
  }

  private start(): Step[] {
    const next = this.waiting.shift()!;
    const started = [claimed(next.run, next.requested, next.isCancelled), event('agent_started', next.run)];
    if (next.isCancelled) return [...started, costs(next.run, '0'), event('agent_cancelled', next.run)];
    this.current = next.run;
    this.epoch = 1;
    this.requestedAt = next.requested;
    this.isCancelling = false;
    return started;
  }

  private cancel(): Step[] {
    const waits = this.waiting[this.pick(this.waiting.length + 1)];
    if (waits === undefined) this.isCancelling = true;
    else waits.isCancelled = true;
    return [event('run_cancel_requested', waits?.run ?? this.current!)];
  }

  /** A request with a key, of whose run nothing else is there. */
  private refuse(): Step[] {
    const run = this.pick(2) === 0 ? `run_${this.session}_refused` : this.current!;
    return [{ type: 'run_refused', run, data: { code: 'session_busy' } }];
  }

  private takeOver(): Step[] {
    this.epoch += 1;
    const data = { worker: 'w2', epoch: this.epoch, requested: this.requestedAt };
    return [{ type: 'run_claimed', run: this.current!, data }];
  }

  private finish(): Step[] {
    const run = this.current;
    if (run === null) return this.start();
    this.current = null;
    const cost = `0.00${this.pick(1_000)}1`;
    const steps = [costs(run, cost), this.endOf(run)];
    return this.waiting.length > 0 && this.pick(2) === 0 ? [...steps, ...this.start()] : steps;
  }

  private endOf(run: string): Step & End {
    if (this.isCancelling) return { type: 'agent_cancelled', data: {}, run };
    if (this.pick(4) > 0) return { type: 'agent_completed', data: {}, run };
    return { type: 'agent_error', data: { content: this.text(), code: 'timeout', retryable: true }, run };
  }

  private write1(run: string): Step[] {
    switch (this.pick(8)) {
      case 0:
        return [event('agent_thinking_start', run)];
      case 1:
        return [event('agent_response_start', run), said(run, this.text())];
      case 2:
        return [turn(run, '0.000001')];
      case 3:
        return [event('agent_tool_use_start', run), used(run, this.text())];
      case 4:
        return [{ type: 'tool_call_completed', run, data: { call_id: 'c', content: this.text() } }];
      case 5:
        return [thought(run, this.text())];
      case 6:
        return [{ type: 'agent_step', run, data: { step: String((this.steps += 1)) } }];
      default:
        return Array.from({ length: 1 + this.pick(6) }, () => said(run, this.text()));
    }
  }

  private text(): string {
    return Array.from({ length: 1 + this.pick(3) }, () => TEXTS[this.pick(TEXTS.length)]).join('');
  }

  private async write(steps: readonly Step[]): Promise<void> {
    const expected = this.revision < 0 ? 'no_stream' : this.revision;
    const result = await this.log.append(sessionStream(this.session), encoded(steps), { expected });
    if (result.kind !== 'appended') throw new Error('the append met a conflict');
    this.revision = result.last;
  }
}
