import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type BudgetId, type BudgetPeriod, Problem, type ProjectId, parseDollars, periodAt } from '#domain';
import { type EventLog, type NewEvent, newEvent } from '#event-log';
import { ProcessBackground, SilentLogger, SystemRandom } from '#platform';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import type { Principal } from '../api-keys/principal.js';
import { Budgets } from './budgets.js';
import { Spending } from './spending.js';

const random = new SystemRandom();
const day = (text: string): number => Date.parse(text);

describe('a period', () => {
  it.each<[BudgetPeriod, string, string | null, string | null]>([
    ['day', '2026-12-31T23:59:59.999Z', '2026-12-31', '2027-01-01'],
    ['day', '2028-02-28T12:00:00Z', '2028-02-28', '2028-02-29'],
    ['month', '2028-02-29T23:59:59.999Z', '2028-02-01', '2028-03-01'],
    ['month', '2027-01-31T00:00:00Z', '2027-01-01', '2027-02-01'],
    ['month', '2026-12-01T00:00:00Z', '2026-12-01', '2027-01-01'],
    ['total', '2026-12-01T00:00:00Z', null, null],
  ])('of a %s at %s is from %s until before %s', (period, now, from, to) => {
    expect(periodAt(period, day(now))).toEqual({
      from: from === null ? 0 : day(from),
      to: to === null ? null : day(to),
    });
  });
});

interface Call {
  readonly project: ProjectId;
  readonly key: string;
  readonly time: number;
  readonly cost: string;
  readonly position: number;
}

/** Tables that know the calls up to a position. */
class Tables extends Spending {
  readonly calls: Call[] = [];
  knownTo = Infinity;
  reads = 0;
  isAway = false;

  override async sum({ scope, id, project }: BudgetId & { readonly project: ProjectId }, from: number) {
    this.reads += 1;
    if (this.isAway) throw new Error('away');
    const known = this.calls.filter(({ position }) => position <= this.knownTo);
    const spent = known
      .filter(
        (call) => call.project === project && (scope === 'project' || call.key === id) && call.time >= from,
      )
      .reduce((sum, { cost }) => sum + parseDollars(cost), 0n);
    return { spent, upTo: Math.min(this.knownTo, this.calls.at(-1)?.position ?? 0) };
  }
}

describe('a budget', () => {
  let temp: TempLog;
  let tables: Tables;
  let clock: ManualClock;
  let position = 0;
  let count = 0;
  let key = '';
  beforeAll(async () => {
    temp = await TempLog.open();
  });
  afterAll(() => temp.close());
  beforeEach(() => {
    tables = new Tables();
    clock = new ManualClock();
    key = `key_${++count}`;
  });

  const admin: Principal = { keyId: 'key_root', project: 'p', scopes: new Set(['admin']), isRoot: true };
  async function open(log: EventLog = temp.log): Promise<Budgets> {
    const logger = new SilentLogger();
    const budgets = new Budgets({
      log,
      clock,
      random,
      logger,
      background: new ProcessBackground(logger),
      spending: tables,
      prices: { of: (model) => (model === 'free' ? null : { input: '1', output: '1' }) },
      projectOfKey: (id) => (id.startsWith('key_') ? 'p' : null),
      hasProject: () => true,
    });
    await budgets.start(new AbortController().signal);
    return budgets;
  }
  const payer = (model = 'm') => ({ project: 'p', key, model });
  const put = (budgets: Budgets, limit: string, period: BudgetPeriod = 'total') =>
    budgets.put(admin, { scope: 'key', id: key }, { limit, period });

  /** A call of a process ends, and comes to the log. */
  function call(budgets: Budgets, cost: string, isStored = true): NewEvent {
    const data = { cost };
    budgets.spent({ project: 'p', key }, data);
    const made = newEvent(
      { id: random.uuid(), type: 'model_called', time: 0, data },
      { schemaVersion: 1, project: 'p', actor: key },
    );
    if (isStored) store(budgets, made, cost);
    return made;
  }
  function store(budgets: Budgets, event: NewEvent, cost: string): void {
    position += 1;
    tables.calls.push({ project: 'p', key, time: clock.now(), cost, position });
    budgets.noteStored([event], position);
  }

  it('counts each call once: before it is on the log, before the tables know it, and then', async () => {
    const budgets = await open();
    tables.knownTo = position;
    await put(budgets, '1');
    const event = call(budgets, '0.6', false);
    const spent = async () => (await budgets.list(admin, 10)).find(({ id }) => id === key)?.spent;
    expect(await spent()).toBe('0.6');
    store(budgets, event, '0.6');
    expect(await spent()).toBe('0.6');
    expect(await budgets.reached(payer())).toBeNull();
    call(budgets, '0.4');
    expect(await budgets.reached(payer())).toEqual({ spent: '1', limit: '1', of: `key/${key}` });
    tables.knownTo = Infinity;
    clock.advance(1_000);
    expect(await spent()).toBe('1');
  });

  it('knows within a second what others spend', async () => {
    const [ours, theirs] = [await open(), await open()];
    await put(ours, '1');
    expect(await ours.reached(payer())).toBeNull();
    call(theirs, '5');
    expect(await ours.reached(payer())).toBeNull();
    clock.advance(1_000);
    expect(await ours.reached(payer())).toMatchObject({ spent: '5' });
  });

  it('counts what the tables told another budget of, until it asks them itself', async () => {
    const budgets = await open();
    tables.knownTo = position;
    for (let n = 0; n < 1_001; n++) call(budgets, '0');
    await put(budgets, '1');
    expect(await budgets.reached(payer())).toBeNull();
    call(budgets, '1');
    tables.knownTo = Infinity;
    // The project's is asked about the first time, behind the call; the key's was a moment before.
    await budgets.put(admin, { scope: 'project', id: 'p' }, { limit: '9', period: 'total' });
    expect(await budgets.reached(payer())).toMatchObject({ spent: '1', of: `key/${key}` });
    await budgets.remove(admin, { scope: 'project', id: 'p' });
  });

  it('asks the tables once a second, and not at all where there is none', async () => {
    const budgets = await open();
    for (let n = 0; n < 50; n++) await budgets.reached({ ...payer(), key: 'nobody', project: 'none' });
    expect(tables.reads).toBe(0);
    await put(budgets, '1');
    tables.reads = 0;
    for (let n = 0; n < 50; n++) await budgets.reached(payer());
    expect(tables.reads).toBeLessThanOrEqual(1);
  });

  it('asks the tables once for all who come at the same time, and again where they did not answer', async () => {
    const budgets = await open();
    await put(budgets, '1');
    clock.advance(1_000);
    tables.reads = 0;
    const all = () => Promise.allSettled(Array.from({ length: 50 }, () => budgets.reached(payer())));
    await all();
    expect(tables.reads).toBe(1);
    clock.advance(1_000);
    tables.isAway = true;
    expect((await all()).filter(({ status }) => status === 'rejected')).toHaveLength(50);
    tables.isAway = false;
    call(budgets, '2');
    expect(await budgets.reached(payer())).toMatchObject({ spent: '2' });
    expect(tables.reads).toBe(3);
  });

  it('begins anew with its period', async () => {
    clock.advance(day('2028-02-29T23:59:59Z') - clock.now());
    const budgets = await open();
    expect(await put(budgets, '1', 'month')).toMatchObject({ renews_at: '2028-03-01T00:00:00.000Z' });
    call(budgets, '2');
    expect(await budgets.reached(payer())).not.toBeNull();
    clock.advance(1_000);
    expect(await budgets.reached(payer())).toBeNull();
    expect(await put(budgets, '1', 'month')).toMatchObject({
      spent: '0',
      renews_at: '2028-04-01T00:00:00.000Z',
    });
  });

  it('that is lowered below what is spent is reached at once, and counts what came before it', async () => {
    const budgets = await open();
    call(budgets, '3');
    expect(await put(budgets, '4')).toMatchObject({ spent: '3' });
    expect(await budgets.reached(payer())).toBeNull();
    expect(await put(budgets, '2')).toMatchObject({ spent: '3' });
    await expect(budgets.requireLeft(payer())).rejects.toMatchObject({ code: 'budget_exhausted' });
    expect(await put(budgets, '0')).toMatchObject({ limit: '0' });
    await budgets.remove(admin, { scope: 'key', id: key });
    await expect(budgets.requireLeft(payer())).resolves.toBeUndefined();
  });

  it('counts no model without a price', async () => {
    const budgets = await open();
    await expect(budgets.requireLeft(payer('free'))).resolves.toBeUndefined();
    await expect(budgets.requireLeft(payer('free'), '1')).rejects.toMatchObject({ code: 'unprocessable' });
    await put(budgets, '1');
    await expect(budgets.requireLeft(payer('free'))).rejects.toBeInstanceOf(Problem);
    expect(await budgets.reached(payer('free'))).not.toBeNull();
  });

  it('is found again by the next process', async () => {
    await put(await open(), '7.50', 'day');
    expect((await (await open()).list(admin, 100)).find(({ id }) => id === key)).toMatchObject({
      limit: '7.5',
      period: 'day',
    });
  });

  it('holds a run, and waits for tables that are away', async () => {
    const budgets = await open();
    await put(budgets, '1');
    clock.advance(1_000);
    tables.isAway = true;
    const holding = budgets.holding(payer());
    await new Promise(setImmediate);
    tables.isAway = false;
    call(budgets, '1');
    clock.advance(1_000);
    expect(await holding).toMatchObject({ spent: '1', limit: '1' });
  });
});
