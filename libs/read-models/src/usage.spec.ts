import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CallSums,
  type ModelCall,
  NO_CALLS,
  type Price,
  costOf,
  formatDollars,
  sessionStream,
  usageView,
  withCall,
} from '#domain';
import { MemoryContentKeys, type NewEvent, newEvent } from '#event-log';
import { SystemRandom } from '#platform';
import { type Fixture, openFixture } from '../../../test/support/read-models-fixture.js';
import { Dice } from '../../../test/reliability/dice.js';

/** Runs of the property; the long form: `USAGE_RUNS=100000 npm run jest -- libs/read-models/src/usage`. */
const RUNS = Number(process.env['USAGE_RUNS'] ?? 600);
const DAY = 86_400_000;
/** The last seconds of a leap day. */
const START = Date.UTC(2028, 1, 29, 23, 59, 50);
const GROUPS = [
  [],
  ['project'],
  ['key'],
  ['model'],
  ['mode'],
  ['session'],
  ['day'],
  ['model', 'day'],
  ['key', 'mode', 'day'],
];

const random = new SystemRandom();
const dice = new Dice(Number(process.env['SEED'] ?? 33));
const keys = new MemoryContentKeys();
let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture(keys)));
afterAll(() => fixture.close());

/** A call as the log tells of it, by what it can be grouped. */
interface Known {
  readonly groups: Readonly<Record<string, string>>;
  readonly run: string;
  readonly call: ModelCall;
}

const PRICES: Readonly<Record<string, Price | null>> = {
  cheap: { input: '0.05', output: '0.4', cached_input: '0.005' },
  dear: { input: '15', output: '75', cached_input: '1.5', cache_write: '18.75' },
  odd: { input: '0.000001', output: '0.333333' },
  free: null,
};

function randomCall(): ModelCall {
  const model = dice.pick(Object.keys(PRICES));
  const input = dice.below(1_000_000);
  const cached = dice.chance(50) ? { cached_input_tokens: dice.below(input + 1) } : {};
  const counts = { input_tokens: input, output_tokens: dice.below(100_000), ...cached };
  const price = PRICES[model] ?? null;
  return {
    kind: 'turn',
    mode: dice.pick(['flash', 'base', 'max'] as const),
    model,
    ...counts,
    ...(dice.chance(20) ? { estimated: true as const } : {}),
    reported: {},
    price,
    cost: price === null ? '0' : formatDollars(costOf(counts, price)),
  };
}

const known: Known[] = [];
/** A session with a run of some calls. */
async function writeRun(n: number): Promise<string> {
  const session = `ses_u${n}`;
  const run = `run_${session}_1`;
  const project = dice.pick(['p1', 'p2']);
  const key = dice.pick(['key_a', 'key_b', 'key_c']);
  const meta = { schemaVersion: 1, project, actor: key, run };
  let time = START + dice.below(40) * DAY;
  const at = (type: string, data: object): NewEvent =>
    newEvent({ id: random.uuid(), type, time, data }, meta);
  const events = [
    at('session_opened', {}),
    at('run_requested', {
      message: 'm',
      mode: 'base',
      model: 'dear',
      config: {},
      trigger: 'request',
      replica: 'r',
    }),
  ];
  for (let calls = dice.below(4); calls >= 0; calls--) {
    time += dice.below(20_000);
    const call = randomCall();
    const day = new Date(time).toISOString().slice(0, 10);
    known.push({ run, call, groups: { project, key, session, model: call.model, mode: call.mode, day } });
    events.push(at('model_called', call), at('model_turn_completed', { finish_reason: 'stop' }));
  }
  await fixture.log.append(sessionStream(session), events, { expected: 'no_stream' });
  return session;
}

async function erase(session: string): Promise<void> {
  const stream = sessionStream(session);
  let last = 0;
  let key: string | undefined;
  let project = '';
  for await (const page of fixture.log.readStream(stream))
    for (const { revision, meta } of page) {
      last = revision;
      key ??= meta.keyId;
      project = meta.project;
    }
  const data = { events: last + 1, key };
  const meta = { schemaVersion: 1, project, actor: 'a' };
  await fixture.log.append(
    stream,
    [newEvent({ id: random.uuid(), type: 'session_erased', time: START, data }, meta)],
    {
      expected: last,
    },
  );
  await keys.destroy(key ?? '');
}

/** What the log adds up to, by groups, as `GET /usage` shows it. */
function expected(groups: readonly string[], calls: readonly Known[]): readonly object[] {
  const byGroup = Map.groupBy(calls, (one) => JSON.stringify(groups.map((group) => one.groups[group])));
  return [...byGroup]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, all]) => {
      const sums = all.reduce<CallSums>((sum, { call }) => withCall(sum, call), NO_CALLS);
      const values = JSON.parse(id) as string[];
      return {
        ...Object.fromEntries(groups.map((group, at) => [group, values[at]])),
        runs: new Set(all.map(({ run }) => run)).size,
        ...usageView(sums),
        cost: formatDollars(sums.cost),
      };
    });
}

/** There may be more sessions than groups that are told at once. */
async function expectSumsOfDays(groups: readonly string[]): Promise<void> {
  for (const [day, calls] of Map.groupBy(known, (one) => one.groups['day'] ?? '')) {
    const from = Date.parse(day);
    const items = await fixture.models.usage.sums({ groups, from, to: from + DAY });
    expect(items).toEqual(expected(groups, calls));
  }
}

async function expectSums(): Promise<void> {
  for (const groups of GROUPS)
    if (groups.includes('session')) await expectSumsOfDays(groups);
    else expect(await fixture.models.usage.sums({ groups })).toEqual(expected(groups, known));
  const p1 = known.filter(({ groups }) => groups['project'] === 'p1');
  expect(await fixture.models.usage.sums({ project: 'p1', groups: ['key'] })).toEqual(expected(['key'], p1));
  const [from, to] = [Date.UTC(2028, 2, 1), Date.UTC(2028, 2, 31)];
  const march = known.filter(({ groups }) => /^2028-03-(?!31)/.test(groups['day'] ?? ''));
  expect(await fixture.models.usage.sums({ from, to, groups: ['day'] })).toEqual(expected(['day'], march));
}

describe('the sums of model calls', () => {
  const sessions: string[] = [];
  beforeAll(async () => {
    for (let n = 0; n < RUNS; n++) sessions.push(await writeRun(n));
  }, 3_600_000);

  it('are those of the events, to the last digit, by every group', () => expectSums(), 600_000);

  it('are the same when sessions are erased, and when the tables are made anew', async () => {
    for (const session of sessions.filter((_, n) => n % 3 === 0)) await erase(session);
    await fixture.models.caughtUp();
    await expectSums();
    await fixture.rebuild();
    await expectSums();
    expect(await fixture.models.health()).toMatchObject({ projections: { ok: true } });
  }, 3_600_000);
});
