import type { Part } from './world/parts.js';

/** A mistake in the product: planted into a copy of it, it must be found by the simulation. */
export interface Mutant {
  readonly name: string;
  /** What is wrong with it. */
  readonly story: string;
  readonly file: string;
  /** What the worlds have in which it is looked for, besides runs with plain tools. */
  readonly parts?: readonly Part[];
  /** The first seed that is tried; given for one that shows itself seldom. Absent: 1. */
  readonly from?: number;
  readonly find: string;
  readonly replace: string;
}

const JOURNAL = 'libs/agent/src/run/journal.ts';
const RUN_DRIVE = 'libs/runs/src/run-drive.ts';
const SESSION = 'libs/runs/src/session.ts';
const START = 'libs/runs/src/start-run.ts';
const DRIVER = 'libs/agent/src/run/driver.ts';
const APPEND = 'libs/event-log/src/append-until-definite.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'fence-gone',
    story: 'a session is appended to whatever revision it is at',
    file: JOURNAL,
    find: "const expected = this.last === NO_EVENTS ? 'no_stream' : this.last;",
    replace: "const expected = 'any';",
  },
  {
    name: 'claim-id-shared',
    story: 'two workers that write at the same revision make the same event ids',
    file: JOURNAL,
    find: 'const x = ports.random.hex(9);',
    replace: "const x = '0'.repeat(18);",
  },
  {
    name: 'drawn-key-trusted',
    story: 'what is said in a session that another process began is sealed with a key of its own',
    file: 'libs/vault/src/keys/stream-keys.ts',
    find: "(place !== 'first' && this.drawn.has(id)) ? undefined : id;",
    replace: 'false ? undefined : id;',
  },
  {
    name: 'conflict-is-success',
    story: 'an append that met a conflict counts as stored',
    file: APPEND,
    find: 'const append = () => log.append(stream, events, options);',
    replace: `const append = async (): Promise<AppendResult> => {
      const result = await log.append(stream, events, options);
      if (result.kind === 'appended') return result;
      const { actual } = result;
      return { kind: 'appended', first: actual + 1, last: actual + events.length, position: 0 };
    };`,
  },
  {
    name: 'claim-rebased',
    story: 'a claim that met a conflict is written behind what the rival wrote, as it was decided before',
    file: JOURNAL,
    find: 'const decision = entry.decide(batch.state, next);',
    replace: `const again = entry as typeof entry & { first?: ReturnType<typeof entry.decide> };
      const decision = (again.first ??= entry.decide(batch.state, next));`,
  },
  {
    name: 'new-ids-on-retry',
    story: 'an append of unknown outcome is sent again under new ids',
    file: APPEND,
    find: 'if (error instanceof AppendOutcomeUnknown) unknown = error;',
    replace: `if (error instanceof AppendOutcomeUnknown) {
        unknown = error;
        events = events.map((event) => ({ ...event, id: random.uuid() }));
      }`,
  },
  {
    name: 'unknown-is-refused',
    story: 'an append of unknown outcome is taken for one that was refused, and re-based',
    file: APPEND,
    find: 'if (error instanceof AppendOutcomeUnknown) unknown = error;',
    replace: "if (error instanceof AppendOutcomeUnknown) throw new LogUnavailable('refused');",
  },
  {
    name: 'claim-not-checked',
    story: 'what a worker writes after it has lost its claim goes to the log',
    file: 'libs/agent/src/run/run-writer.ts',
    find: 'return current?.run === run && current.worker === worker && current.epoch === epoch;',
    replace: "return current?.run === run || worker === '' || epoch < 0;",
  },
  {
    name: 'tools-before-intent',
    story: 'tools are called before the log holds the intent to',
    file: DRIVER,
    find: `    await this.run.journal.settled(this.writer);
    await this.tools.run(`,
    replace: '    await this.tools.run(',
  },
  {
    name: 'tools-repeated',
    story: 'a call whose result is not known is made again after a take-over',
    file: 'libs/agent/src/tools/tool-runner.ts',
    find: 'if (!this.isFresh(call) && !tool?.isRepeatable)',
    replace: 'if (!this.isFresh(call) && !tool)',
  },
  {
    name: 'recovery-starts-over',
    story: 'a run that is taken over begins again instead of going on from the log',
    file: RUN_DRIVE,
    find: 'const state = isBegun ? await loadRun(log, journal.stream, request, claimed, begun, workflows) : begun;',
    replace:
      'const state = isBegun && begun.steps > 0 ? await loadRun(log, journal.stream, request, claimed, begun) : begun;',
  },
  {
    name: 'put-back-behind',
    story: 'what could not be appended is put behind what came later',
    file: 'libs/agent/src/run/entry-queue.ts',
    find: 'this.entries.unshift(...entries);',
    replace: 'this.entries.push(...entries);',
  },
  {
    name: 'broken-turn-kept',
    story: 'what a broken turn wrote stays in the context',
    file: 'libs/domain/src/context.ts',
    find: `      case 'model_turn_failed':
        this.isBroken = true;
        return;`,
    replace: `      case 'model_turn_failed':
        return;`,
  },
  {
    name: 'cleared-context-kept',
    story: 'after a clear during a run the next one still knows what was cleared',
    file: SESSION,
    find: 'if (isKnown && epoch === 1 && this.lastClear < claimed) this.context = context;',
    replace: 'if (isKnown) this.context = context;',
  },
  {
    name: 'strangers-unseen',
    story: 'a worker does not notice that another had a run of its session, and goes on with an old context',
    file: SESSION,
    find: "return claim?.type === 'run_claimed' && claim.data.worker !== this.ports.worker;",
    replace: 'return false;',
  },
  {
    name: 'place-lost',
    story: 'a free place is offered to one that waits, and to nobody else when it is not wanted',
    file: 'libs/runs/src/admission.ts',
    from: 11_500,
    find: 'waiter.wake();',
    replace: 'return waiter.wake();',
  },
  {
    name: 'claim-given-up',
    story: 'a claim that the log refused is not tried again',
    file: SESSION,
    find: 'if (!isTried) again();',
    replace: 'if (!isTried) return;',
  },
  {
    name: 'cancel-before-tools',
    story: 'a run that is cancelled before its tools are open is begun again and again, and never ended',
    file: RUN_DRIVE,
    find: 'if (!signal.aborted) throw error;',
    replace: 'throw error;',
  },
  {
    name: 'place-given-back',
    story: 'a run that is being claimed gives its place back when its request is answered',
    file: START,
    find: 'if (isLast && !hasPlace && !session.isDriving(place.run)) {',
    replace: 'if (isLast && !hasPlace) {',
  },
  {
    name: 'place-goes-back',
    story: 'a follower whose place is ahead of the live tail is given events again',
    file: 'libs/event-log/src/live/all-subscription.ts',
    find: 'if (event.position <= this.after) continue;',
    replace: '',
  },
  {
    name: 'waiting-forgotten',
    story: 'a take-over does not say which runs wait',
    file: 'libs/domain/src/session-commands.ts',
    find: '...(state.waiting.length > 0 ? { waiting: state.waiting } : {}),',
    replace: '...(state.waiting.length > 1 ? { waiting: state.waiting } : {}),',
  },
  {
    name: 'resume-inclusive',
    story: 'a stream that is resumed begins with the event that the client has',
    file: 'libs/delivery/src/event-streams.ts',
    find: 'const options = { after: request.after, signal: sink.gone };',
    replace: 'const options = { after: request.after - 1, signal: sink.gone };',
  },
  {
    name: 'checkpoint-remembered',
    story: 'a follower goes on from where it thinks that it was, not from the checkpoint',
    file: 'libs/event-log/src/follower/follower.ts',
    find: 'let checkpoint = await this.loadCheckpoint();',
    replace: 'let checkpoint = this.handled > 0 ? this.handled : await this.loadCheckpoint();',
  },
  {
    name: 'gap-in-the-feed',
    story: 'a live stream does not notice that it missed something',
    file: 'libs/event-log/src/live/stream-tails.ts',
    find: 'else this.drop();',
    replace: '',
  },
  {
    name: 'end-not-awaited',
    story: 'a worker forgets its run before the end of it is on the log',
    file: DRIVER,
    find: `endEvent(end)]);
    await this.run.journal.settled(this.writer);`,
    replace: 'endEvent(end)]);',
  },
];
