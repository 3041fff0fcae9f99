import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Draft,
  NO_SESSION,
  OUTCOME_UNKNOWN,
  asSessionEvent,
  endOf,
  evolveSession,
  isParked,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import type { StartedRun } from '#runs';
import type { House } from '../support/house.js';
import { RETRY_STORIES, type StoryCall } from '../support/retry-stories.js';
import { RetryWorld } from '../support/retry-world.js';
import { stepAsked } from '../support/run-script.js';

const ENDS = {
  agent_error: { type: 'agent_error', data: { content: 'gone', code: 'timeout', retryable: true } },
  agent_cancelled: { type: 'agent_cancelled', data: {} },
} as const;

type End = keyof typeof ENDS;

/** The end of a run with these events, as it would be on the log. */
function endOfRun(events: readonly RecordedEvent[], end: keyof typeof ENDS): readonly Draft[] {
  const state = events.map(asSessionEvent).reduce(evolveSession, NO_SESSION);
  if (state.current === null) throw new Error('it has ended');
  const isAsked = end === 'agent_cancelled' && !isParked(state);
  return [
    ...(isAsked ? [{ type: 'run_cancel_requested', data: {} } as const] : []),
    ...endOf(state.current, ENDS[end]),
  ];
}

interface Data {
  readonly call_id?: string;
  readonly content?: string;
  readonly action?: string;
  readonly code?: string;
  readonly decision?: string;
  readonly action_id?: string;
  readonly step?: unknown;
  readonly final_output?: true;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly retry_of?: { readonly run: string };
}
const dataOf = (event: RecordedEvent | undefined): Data => event?.data ?? {};
const of = (events: readonly RecordedEvent[], type: string) => events.filter((e) => e.type === type);
const turnsIn = (events: readonly RecordedEvent[]) => of(events, 'model_turn_completed').map(dataOf);
const mainTurnsIn = (events: readonly RecordedEvent[]) =>
  turnsIn(events).filter(({ step, final_output }) => step === undefined && final_output === undefined);
const callsIn = (events: readonly RecordedEvent[]) =>
  turnsIn(events).flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
const resultsIn = (events: readonly RecordedEvent[], id: string) =>
  of(events, 'tool_call_completed')
    .map(dataOf)
    .filter(({ call_id }) => call_id === id)
    .map(({ content }) => content);

/** How many events may stand before a run's end: what is written together is there, or is not. */
function lengthsOf(events: readonly RecordedEvent[]): number[] {
  return [...events.keys()].filter((at) => at > 3 && !isWithBefore(events[at]));
}

const isWithBefore = (event: RecordedEvent | undefined): boolean =>
  [
    'agent_tool_use_start',
    'agent_tool_use',
    'agent_action_required',
    'agent_workflow_step',
    'workflow_tool_responded',
    'agent_completed',
  ].includes(event?.type ?? '') || dataOf(event).action !== undefined;

/** Calls that a person has released, and that were not begun. */
function releasedIn(events: readonly RecordedEvent[]): string[] {
  const decided = of(events, 'agent_action_resolved').map(dataOf);
  const approved = decided.filter(({ decision }) => decision === 'approve').map(({ action_id }) => action_id);
  const begun = of(events, 'tool_call_begun').map((event) => dataOf(event).call_id);
  return of(events, 'agent_action_required')
    .map(dataOf)
    .filter(({ action_id }) => approved.includes(action_id))
    .map(({ content = '' }) => (JSON.parse(content) as { input: { key: string } }).input.key)
    .filter((id) => !begun.includes(id));
}

/** What a turn had said that was not complete. */
function cutText(prefix: readonly RecordedEvent[]): string[] {
  const last = prefix.findLastIndex(({ type }) =>
    ['model_turn_completed', 'agent_step', 'agent_steered', 'agent_started'].includes(type),
  );
  const said = of(prefix.slice(last + 1), 'agent_response').map((event) => dataOf(event).content ?? '');
  return said.length === 0 ? [] : [said.join('')];
}

describe.each(RETRY_STORIES)('a run of $name', (story) => {
  let world: RetryWorld;
  let first: StartedRun;
  let recorded: RecordedEvent[];

  beforeAll(async () => {
    world = await RetryWorld.open(story);
    first = await world.record();
    recorded = await world.eventsOf(first);
  });
  afterAll(() => world.close());

  const turnsFrom = (prefix: readonly RecordedEvent[]): number =>
    story.turnsFrom?.(prefix) ?? turnsIn(recorded).length;

  /** How often a call reaches the server yet, and what its result holds, with what is on the log. */
  function due(prefix: readonly RecordedEvent[], id: string) {
    const { isRepeatable, decision, ...call }: StoryCall = story.calls[id] ?? {};
    const { madeAs = id, result = `did {"key":"${madeAs}"}` } = call;
    const isThere = callsIn(prefix).includes(id);
    const wasBegun = of(prefix, 'tool_call_begun').some((event) => dataOf(event).call_id === id);
    const hasIntent = decision === undefined ? isThere : wasBegun;
    const isOver = resultsIn(prefix, id).length > 0;
    const isUnknown = hasIntent && !isOver && isRepeatable !== true && madeAs !== null;
    const times = madeAs === null || isOver || isUnknown ? 0 : 1;
    return { key: madeAs ?? id, times, result: isUnknown ? OUTCOME_UNKNOWN : result };
  }

  /** What holds of every run that goes on from what was on the log, each time that it was broken off. */
  async function check(
    broken: readonly (readonly RecordedEvent[])[],
    { session, run }: StartedRun,
    house: House,
  ) {
    const events = await world.eventsOf({ session });
    const own = events.filter(({ meta }) => meta.run === run);
    expect(dataOf(of(own, 'run_requested')[0]).retry_of).toBeDefined();
    checkOnce(events);
    const prefix = broken.at(-1)!;
    const steered = of(prefix, 'run_steered').map((event) => dataOf(event).content ?? '');
    const history = await house.history(session);
    const linesOf = (type: string) =>
      history.filter((line) => line.startsWith(`${type} `)).map((line) => line.slice(type.length + 1));
    expect(linesOf('user_message')).toEqual(['go', ...steered]);
    const texts = story.texts.slice(0, story.turnsFrom?.(prefix));
    expect(linesOf('agent_response').toSorted()).toEqual([...texts, ...broken.flatMap(cutText)].toSorted());
    expect(of(events, 'agent_step')).toHaveLength(mainTurnsIn(events).length);
    expect(of(own, 'agent_final_output')).toHaveLength(story.config.final_output === undefined ? 0 : 1);
    checkTold(steered, house);
    expect(house.errors).toEqual([]);
  }

  /** Each call is told of once, and has one result. */
  function checkOnce(events: readonly RecordedEvent[]): void {
    const calls = callsIn(events);
    expect(calls).toEqual([...new Set(calls)]);
    expect(calls.map((id) => [id, resultsIn(events, id).length])).toEqual(calls.map((id) => [id, 1]));
    expect(of(events, 'agent_tool_use')).toHaveLength(calls.length);
    expect(of(events, 'agent_tool_response')).toHaveLength(calls.length);
  }

  /** Every call of the story was made, and its result is what came of it. */
  function checkResults(prefix: readonly RecordedEvent[], events: readonly RecordedEvent[]): void {
    const ids = Object.keys(story.calls);
    expect(callsIn(events).toSorted()).toEqual(ids.toSorted());
    const wanted = ids.map((id) => [id, [expect.stringContaining(due(prefix, id).result)]]);
    expect(ids.map((id) => [id, resultsIn(events, id)])).toEqual(wanted);
  }

  /** The model hears every message once. */
  function checkTold(steered: readonly string[], house: House): void {
    const main = house.model.requests.findLast((request) => stepAsked(request) === null);
    if (main === undefined) return;
    const linesOf = (role: string) =>
      main.messages.filter((m) => m.role === role && m.content !== '').map(({ content }) => content);
    const isOwn = (message: string) => ['go', ...steered].includes(message);
    expect(linesOf('user').filter(isOwn)).toEqual(['go', ...steered]);
    const said = linesOf('assistant');
    expect(said).toEqual([...new Set(said)]);
  }

  const keysMade = (): Readonly<Record<string, number>> => {
    const made: Record<string, number> = {};
    for (const line of world.server.calls.splice(0)) {
      const { key } = JSON.parse(line.slice(line.indexOf(' ') + 1)) as { key: string };
      made[key] = (made[key] ?? 0) + 1;
    }
    return made;
  };

  function callsDue(prefix: readonly RecordedEvent[]): Readonly<Record<string, number>> {
    const found = Object.keys(story.calls).map((id) => due(prefix, id));
    return Object.fromEntries(found.filter(({ times }) => times > 0).map(({ key, times }) => [key, times]));
  }

  async function goesOnFrom(length: number, end: End): Promise<StartedRun> {
    const prefix = recorded.slice(0, length);
    const broken = await world.copy(first, prefix, endOfRun(prefix, end));
    keysMade();
    const house = world.newHouse();
    const again = await world.retry(house, broken);
    expect((await world.ended(house, again)).type).toBe('agent_completed');
    expect(keysMade()).toEqual(callsDue(prefix));
    expect(house.model.requests).toHaveLength(turnsFrom(prefix) - turnsIn(prefix).length);
    checkResults(prefix, await world.eventsOf(again));
    await check([prefix], again, house);
    return again;
  }

  /** Another process takes up a retry that was broken off itself: it asks for the servers, or is to be retried. */
  async function survives(
    again: StartedRun,
    before: readonly RecordedEvent[],
    prefix: readonly RecordedEvent[],
  ): Promise<void> {
    const left = await world.copy(again, prefix, []);
    keysMade();
    let house = world.newHouse();
    await house.core.recovery.resume(left.session);
    const end = await world.ended(house, left);
    const asked = house.model.requests.length;
    const isLost = dataOf(end).code === 'tool_servers_lost';
    if (isLost) house = world.newHouse();
    const last = isLost ? await world.retry(house, left) : left;
    if (isLost) expect((await world.ended(house, last)).type).toBe('agent_completed');
    else expect(end.type).toBe('agent_completed');
    const made = keysMade();
    expect(callsDue(prefix)).toMatchObject(made);
    for (const id of releasedIn(prefix)) expect(made).toHaveProperty([due(prefix, id).key], 1);
    const turns = asked + (isLost ? house.model.requests.length : 0);
    expect(turns).toBeLessThanOrEqual(turnsFrom(prefix) - turnsIn(prefix).length);
    await check([before, prefix], last, house);
  }

  /** Runs all, and names those that failed. */
  async function each(
    lengths: readonly number[],
    events: readonly RecordedEvent[],
    run: (length: number) => Promise<unknown>,
  ) {
    const faults: string[] = [];
    for (const length of lengths) {
      const at = `${length} ${events[length - 1]?.type}`;
      await run(length).catch((error: unknown) => faults.push(`${at}: ${String(error).slice(0, 600)}`));
    }
    expect(faults).toEqual([]);
    expect(lengths.length).toBeGreaterThan(0);
  }

  it.each(Object.keys(ENDS) as End[])('goes on from each of its events at which it ended with %s', (end) =>
    each(lengthsOf(recorded), recorded, (length) => goesOnFrom(length, end)),
  );

  it('that goes on survives the end of its process, wherever that comes', async () => {
    const lengths = lengthsOf(recorded);
    const decided = lengths.filter((at) => recorded[at - 1]?.type === 'agent_action_resolved');
    const sample = [0.2, 0.5, 0.8].map((part) => lengths[Math.floor(part * lengths.length)]!);
    for (const length of new Set([...sample, ...decided])) {
      const before = recorded.slice(0, length);
      const again = await goesOnFrom(length, 'agent_error');
      const events = await world.eventsOf(again);
      const requested = events.findLastIndex(({ type }) => type === 'run_requested');
      const cuts = lengthsOf(events).filter((at) => at > requested + 2 && (at - requested) % 2 === 1);
      await each(cuts, events, (at) => survives(again, before, events.slice(0, at)));
    }
  });
});
