import type { Change } from './source-symbols.js';
import type { Part } from './world/parts.js';

/** A mistake in the product: planted into a copy of it, it must be found by the simulation. */
export interface Mutant extends Change {
  readonly name: string;
  /** What is wrong with it. */
  readonly story: string;
  readonly file: string;
  /** What the worlds have in which it is looked for, besides runs with plain tools. */
  readonly parts?: readonly Part[];
  /** The first seed that is tried; given for one that shows itself seldom. Absent: 1. */
  readonly from?: number;
}

const JOURNAL = 'libs/agent/src/run/journal.ts';
const RUN_DRIVE = 'libs/runs/src/run-drive.ts';
const SESSION = 'libs/runs/src/session.ts';
const START = 'libs/runs/src/start/accept-run.ts';
const DRIVER = 'libs/agent/src/run/driver.ts';
const APPEND = 'libs/event-log/src/append-until-definite.ts';

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'fence-gone',
    story: 'a session is appended to whatever revision it is at',
    file: JOURNAL,
    symbol: 'Journal.append',
    find: "this.last === NO_EVENTS ? 'no_stream' : this.last",
    replace: "'any'",
  },
  {
    name: 'claim-id-shared',
    story: 'two workers that write at the same revision make the same event ids',
    file: 'libs/agent/src/run/event-maker.ts',
    symbol: 'EventMaker.constructor',
    find: 'ports.random.hex(9)',
    replace: "'0'.repeat(18)",
  },
  {
    name: 'drawn-key-trusted',
    story: 'what is said in a session that another process began is sealed with a key of its own',
    file: 'libs/vault/src/keys/stream-keys.ts',
    symbol: 'StreamKeys.peek',
    find: "place !== 'first' && this.drawn.has(id)",
    replace: 'false',
  },
  {
    name: 'conflict-is-success',
    story: 'an append that met a conflict counts as stored',
    file: APPEND,
    symbol: 'appendUntilDefinite',
    find: '() => log.append(stream, events, options)',
    replace: `async (): Promise<AppendResult> => {
      const result = await log.append(stream, events, options);
      if (result.kind === 'appended') return result;
      const { actual } = result;
      return { kind: 'appended', first: actual + 1, last: actual + events.length, position: 0 };
    }`,
  },
  {
    name: 'claim-rebased',
    story: 'a claim that met a conflict is written behind what the rival wrote, as it was decided before',
    file: JOURNAL,
    symbol: 'Journal.decideInto',
    find: 'entry.decide(batch.state, next)',
    replace: '((entry as { first?: unknown }).first ??= entry.decide(batch.state, next))',
  },
  {
    name: 'new-ids-on-retry',
    story: 'an append of unknown outcome is sent again under new ids',
    file: APPEND,
    symbol: 'again',
    find: 'unknown = error;',
    replace: `{
        unknown = error;
        events = events.map((event) => ({ ...event, id: random.uuid() }));
      }`,
  },
  {
    name: 'unknown-is-refused',
    story: 'an append of unknown outcome is taken for one that was refused, and re-based',
    file: APPEND,
    symbol: 'again',
    find: 'unknown = error;',
    replace: "throw new LogUnavailable('refused');",
  },
  {
    name: 'claim-not-checked',
    story: 'what a worker writes after it has lost its claim goes to the log',
    file: 'libs/agent/src/run/run-writer.ts',
    symbol: 'RunWriter.holdsClaim',
    find: 'current?.run === run && current.worker === worker && current.epoch === epoch',
    replace: "current?.run === run || worker === '' || epoch < 0",
  },
  {
    name: 'tools-before-intent',
    story: 'tools are called before the log holds the intent to',
    file: DRIVER,
    symbol: 'Driver.runTools',
    find: 'await this.record.settled();',
    replace: '',
  },
  {
    name: 'tools-repeated',
    story: 'a call whose result is not known is made again after a take-over',
    file: 'libs/agent/src/tools/call-maker.ts',
    symbol: 'CallMaker.outcomeOf',
    find: '!isUnmade && !called.tool()?.isRepeatable',
    replace: '!isUnmade && !called.tool()',
  },
  {
    name: 'recovery-starts-over',
    story: 'a run that is taken over begins again instead of going on from the log',
    file: RUN_DRIVE,
    symbol: 'RunDrive.driveOn',
    find: 'loaded?.state ?? begun(chain.at(-1)!)',
    replace: 'begun(chain.at(-1)!)',
  },
  {
    name: 'put-back-behind',
    story: 'what could not be appended is put behind what came later',
    file: 'libs/agent/src/run/entry-queue.ts',
    symbol: 'EntryQueue.putBack',
    find: 'this.entries.unshift(...entries)',
    replace: 'this.entries.push(...entries)',
  },
  {
    name: 'broken-turn-kept',
    story: 'what a broken turn wrote stays in the context',
    file: 'libs/domain/src/context.ts',
    symbol: 'ContextFold.push',
    find: 'this.isBroken = true; return;',
    replace: 'return;',
  },
  {
    name: 'cleared-context-kept',
    story: 'after a clear during a run the next one still knows what was cleared',
    file: 'libs/runs/src/known-context.ts',
    symbol: 'KnownContext.keep',
    find: 'this.lastClear < claimed && isWhole',
    replace: 'isWhole',
  },
  {
    name: 'strangers-unseen',
    story: 'a worker does not notice that another had a run of its session, and goes on with an old context',
    file: SESSION,
    symbol: 'Session.isUnseen',
    find: 'known.data.worker !== this.ports.worker',
    replace: 'false',
  },
  {
    name: 'place-lost',
    story: 'a free place is offered to one that waits, and to nobody else when it is not wanted',
    file: 'libs/runs/src/admission.ts',
    from: 11_500,
    symbol: 'RunAdmission.wakeWaiters',
    find: 'waiter.wake();',
    replace: 'return waiter.wake();',
  },
  {
    name: 'claim-given-up',
    story: 'a claim that the log refused is not tried again',
    file: 'libs/runs/src/run-claims.ts',
    symbol: 'RunClaims.claim',
    find: 'if (!isTried) again();',
    replace: '',
  },
  {
    name: 'cancel-before-tools',
    story: 'a run that is cancelled before its tools are open is begun again and again, and never ended',
    file: RUN_DRIVE,
    symbol: 'RunDrive.openTools',
    find: '!signal.aborted',
    replace: 'true',
  },
  {
    name: 'place-given-back',
    story: 'a run that is being claimed gives its place back when its request is answered',
    file: START,
    symbol: 'RunAcceptance.accept',
    find: 'isLast && !hasPlace && !session.isDriving(place.run)',
    replace: 'isLast && !hasPlace',
  },
  {
    name: 'place-goes-back',
    story: 'a follower whose place is ahead of the live tail is given events again',
    file: 'libs/event-log/src/live/all-subscription.ts',
    symbol: 'AllSubscription.takeFromTail',
    find: 'if (event.position <= this.after) continue;',
    replace: '',
  },
  {
    name: 'waiting-forgotten',
    story: 'a take-over does not say which runs wait',
    file: 'libs/domain/src/session-commands.ts',
    symbol: 'decideTakeOver',
    find: 'state.waiting.length > 0',
    replace: 'state.waiting.length > 1',
  },
  {
    name: 'resume-inclusive',
    story: 'a stream that is resumed begins with the event that the client has',
    file: 'libs/delivery/src/event-streams.ts',
    symbol: 'EventStreams.send',
    find: '{ after: request.after, signal: sink.gone }',
    replace: '{ after: request.after - 1, signal: sink.gone }',
  },
  {
    name: 'checkpoint-remembered',
    story: 'a follower goes on from where it thinks that it was, not from the checkpoint',
    file: 'libs/event-log/src/follower/follower.ts',
    symbol: 'Follower.follow',
    find: 'await this.loadCheckpoint()',
    replace: 'this.handled > 0 ? this.handled : await this.loadCheckpoint()',
  },
  {
    name: 'gap-in-the-feed',
    story: 'a live stream does not notice that it missed something',
    file: 'libs/event-log/src/live/stream-tails.ts',
    symbol: 'StreamTail.add',
    find: 'this.drop();',
    replace: ';',
  },
  {
    name: 'end-not-awaited',
    story: 'a worker forgets its run before the end of it is on the log',
    file: DRIVER,
    symbol: 'Driver.finish',
    find: 'await this.record.decided((state) => decideEnd(state, endEvent(end), cost, last))',
    replace: `(this.record
      .decided((state) => decideEnd(state, endEvent(end), cost, last))
      .catch(() => undefined),
    [end])`,
  },
];
