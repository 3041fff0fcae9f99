import {
  type CallSums,
  NO_CALLS,
  NO_SESSION,
  type OpenAction,
  type RecordedSessionEvent,
  type Revision,
  type RunId,
  type SessionId,
  type SessionState,
  evolveSession,
} from '#domain/browser';
import { type SessionAsOf, asOf } from '../as-of/as-of.js';
import { type ViewedRun, ViewedRuns } from './viewed-runs.js';

/** All that can be said of a session as it stood behind one of its events. */
export interface SessionViewAt extends SessionAsOf {
  /** In the order in which they were asked for. */
  readonly runs: readonly ViewedRun[];
  /** The run under way, what waits behind it, and what ended last. */
  readonly state: SessionState;
  /** What nobody has decided on. */
  readonly waits: readonly (OpenAction & { readonly run: RunId })[];
  /** Cost and tokens of all runs. */
  readonly spent: Pick<CallSums, 'cost' | 'inputTokens' | 'outputTokens' | 'modelCalls'>;
}

/**
 * A session as it stood behind its event `at`, by the folds that the service's answers are made of. Folds all events up to
 * there, each time: nothing is kept between two calls, so the answer follows from its arguments alone. A part is folded when
 * it is asked for.
 * @param events of one session, in order and from the first on; those behind `at` are passed over
 * @param inherited of a fork: what its line holds before its own events
 */
export function foldView(
  session: SessionId,
  events: readonly RecordedSessionEvent[],
  at: Revision = Infinity,
  inherited: readonly RecordedSessionEvent[] = [],
): SessionViewAt {
  // What comes later is no part of it, also where a part is asked for only then.
  const behind = events.findIndex(({ revision }) => revision > at);
  const upTo = events.slice(0, behind < 0 ? events.length : behind);
  const known = once(() => asOf(session, upTo, Infinity, inherited));
  const state = once(() => upTo.reduce(evolveSession, NO_SESSION));
  const runs = once(() => {
    const fold = new ViewedRuns(session);
    for (const event of upTo) fold.push(event);
    return fold.finish();
  });
  return {
    get messages() {
      return known().messages;
    },
    get summary() {
      return known().summary;
    },
    get context() {
      return known().context;
    },
    get leftOut() {
      return known().leftOut;
    },
    get scale() {
      return known().scale;
    },
    get runs() {
      return runs();
    },
    get state() {
      return state();
    },
    get waits() {
      const { current } = state();
      return current === null ? [] : current.actions.map((action) => ({ ...action, run: current.run }));
    },
    get spent() {
      return sumOf(runs());
    },
  };
}

/** Makes a value when it is asked for, and keeps it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

const sumOf = (runs: readonly ViewedRun[]): SessionViewAt['spent'] =>
  runs.reduce<SessionViewAt['spent']>(
    (sum, { listed: { spent } }) => ({
      cost: sum.cost + spent.cost,
      inputTokens: sum.inputTokens + spent.inputTokens,
      outputTokens: sum.outputTokens + spent.outputTokens,
      modelCalls: sum.modelCalls + spent.modelCalls,
    }),
    NO_CALLS,
  );
