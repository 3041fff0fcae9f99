import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActionId, type ActionKind, type ActionOutcome, actionId, sessionStream } from '#domain';
import { newEvent } from '#event-log';
import { ProcessBackground, SystemClock, SystemRandom } from '#platform';
import {
  type Fixture,
  PROJECT,
  type Step,
  append,
  costs,
  event,
  newSession,
  openFixture,
  opening,
} from '../../../test/support/read-models-fixture.js';
import type { ActionEntry, ActionQuery, BudgetWait } from './queries/actions.js';
import { rebuildTables } from './rebuild.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

const SOON = Date.UTC(2100, 0, 1);
const PAST = Date.UTC(2026, 0, 1);

const asks = (run: string, action: ActionId, expiresAt = SOON, kind: ActionKind = 'approval'): Step => ({
  type: 'agent_action_required',
  run,
  data: {
    action_id: action,
    kind,
    content: '{"tool":"send","input":{"n":1}}',
    expires_at: new Date(expiresAt).toISOString(),
  },
});

const decides = (
  run: string,
  action: ActionId,
  decision: ActionOutcome = 'approve',
  actor = 'key_2',
): Step => ({
  type: 'agent_action_resolved',
  run,
  data: { action_id: action, decision, actor, content: '{"reason":"fine"}' },
});

const ends = (run: string): Step[] => [costs(run, '0.001'), event('agent_cancelled', run)];

/** A run that asks, for each of these ends of time, and what it is called. */
async function asking(...expiries: readonly number[]) {
  const session = newSession();
  const run = `run_${session}_1`;
  const actions = expiries.map((_, n) => actionId(run, n));
  const asked = expiries.map((expiresAt, n) => asks(run, actions[n]!, expiresAt));
  await append(fixture.log, session, [...opening(run, 'hi'), ...asked, event('run_parked', run)]);
  return { session, run, actions };
}

async function listed(query: Partial<ActionQuery>): Promise<ActionEntry[]> {
  const found: ActionEntry[] = [];
  for await (const some of fixture.models.actions.list({ project: PROJECT, limit: 200, ...query }))
    found.push(...some);
  return found;
}

const idsOf = async (query: Partial<ActionQuery>) => (await listed(query)).map(({ id }) => id);

describe('actions', () => {
  it('are listed with what was asked and decided, newest first', async () => {
    const { session, run, actions } = await asking(SOON, SOON);
    const [first, second] = actions as [ActionId, ActionId];
    await append(fixture.log, session, [decides(run, first), decides(run, first, 'deny')]);
    const entry = { session, run, kind: 'approval', asked: '{"tool":"send","input":{"n":1}}', overAt: null };
    expect(await listed({ session })).toEqual([
      { ...entry, id: second, createdAt: 1_763_715_600_005, expiresAt: SOON, resolved: null },
      {
        ...entry,
        id: first,
        createdAt: 1_763_715_600_004,
        expiresAt: SOON,
        resolved: {
          decision: 'approve',
          actor: 'key_2',
          content: '{"reason":"fine"}',
          at: 1_763_715_600_000,
        },
      },
    ]);
    expect(await idsOf({ session, status: 'open' })).toEqual([second]);
    expect(await idsOf({ run, status: 'resolved' })).toEqual([first]);
    expect(await idsOf({ session, kind: 'tool' })).toEqual([]);
    expect(await idsOf({ session, project: 'another' })).toEqual([]);
  });

  it('come in pages, each beginning where the last one ended', async () => {
    const { session, actions } = await asking(SOON, SOON, SOON);
    const seen: ActionId[] = [];
    let cursor: string | undefined;
    do {
      const page = fixture.models.actions.list({
        project: PROJECT,
        session,
        limit: 1,
        ...(cursor && { cursor }),
      });
      let step = await page.next();
      for (; step.done !== true; step = await page.next()) seen.push(...step.value.map(({ id }) => id));
      cursor = step.value ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(actions.toReversed());
  });

  it('are expired from their time on, and due until the log says so', async () => {
    const { session, run, actions } = await asking(PAST, SOON);
    const [late] = actions as [ActionId];
    expect(await idsOf({ session, status: 'expired' })).toEqual([late]);
    expect(await idsOf({ session, status: 'open' })).toEqual([actions[1]]);
    expect(await fixture.models.actions.due(Date.now(), 100)).toContain(late);
    await append(fixture.log, session, [decides(run, late, 'expired', '')]);
    expect(await listed({ session, status: 'expired' })).toMatchObject([
      { resolved: { decision: 'expired' } },
    ]);
    expect(await fixture.models.actions.due(Date.now(), 100)).not.toContain(late);
  });

  it('are closed by the end of their run, but for those whose time was over before', async () => {
    const { session, run, actions } = await asking(Date.UTC(2020, 0, 1), SOON, SOON);
    await append(fixture.log, session, [decides(run, actions[2]!)]);
    await fixture.models.caughtUp();
    await append(fixture.log, session, ends(run));
    expect(await idsOf({ session, status: 'cancelled' })).toEqual([actions[1]]);
    expect(await idsOf({ session, status: 'expired' })).toEqual([actions[0]]);
    expect(await idsOf({ session, status: 'resolved' })).toEqual([actions[2]]);
    expect(await idsOf({ session, status: 'open' })).toEqual([]);
    expect(await fixture.models.actions.due(Date.now(), 100)).not.toContain(actions[0]);
  });

  it('stand where the log has their question, for their own project', async () => {
    const { actions } = await asking(SOON);
    expect(await fixture.models.actions.askedAt(PROJECT, actions[0]!)).toBe(4);
    expect(await fixture.models.actions.askedAt('another', actions[0]!)).toBeNull();
    expect(await fixture.models.actions.askedAt(PROJECT, 'act_ses_0_0')).toBeNull();
  });

  it('go with their session', async () => {
    const { session, actions } = await asking(PAST);
    await fixture.models.caughtUp();
    const meta = { schemaVersion: 1, project: PROJECT, actor: 'key_1' };
    const erased = newEvent(
      { id: new SystemRandom().uuid(), type: 'session_erased', time: 1, data: { events: 6 } },
      meta,
    );
    await fixture.log.append(sessionStream(session), [erased], { expected: 'any' });
    expect(await idsOf({ session })).toEqual([]);
    const { rows } = await fixture.models.database.query({
      text: 'SELECT FROM annals.actions WHERE session = $1',
      values: [session],
    });
    expect(rows).toEqual([]);
    expect(await fixture.models.actions.due(Date.now(), 100)).not.toContain(actions[0]);
  });

  it('are the same after a rebuild', async () => {
    await fixture.models.caughtUp();
    const { database } = fixture.models;
    const read = async () =>
      (await database.query({ text: 'SELECT * FROM annals.actions ORDER BY action_id' })).rows;
    const before = await read();
    expect(before.length).toBeGreaterThan(5);
    const background = new ProcessBackground(fixture.logger);
    const ports = { ...fixture, clock: new SystemClock(), random: new SystemRandom(), background };
    await rebuildTables(database, ports);
    expect(await read()).toEqual(before);
  });

  it('by which runs wait for a budget come page by page, also those that were asked at once', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    const actions = Array.from({ length: 5 }, (_, n) => actionId(run, n));
    const asked = actions.map((action) => asks(run, action, SOON, 'budget'));
    const [first, ...others] = [...opening(run, 'hi'), ...asked];
    await append(fixture.log, session, [first!, ...others, event('run_parked', run)]);
    await append(fixture.log, session, [decides(run, actions[3]!, 'raise')]);
    await listed({ session });
    const found: ActionId[] = [];
    let last: BudgetWait | undefined;
    do {
      const page = await fixture.models.actions.openBudgets(2, last);
      found.push(...page.map(({ action }) => action));
      last = page.at(-1);
    } while (last !== undefined);
    expect(found).toEqual(actions.filter((_, n) => n !== 3));
  });
});
