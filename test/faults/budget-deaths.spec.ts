import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseDollars, sessionStream } from '#domain';
import type { RecordedEvent } from '#event-log';
import type { StartedRun } from '#runs';
import { CALLER, House } from '../support/house.js';
import { LedgerTool } from '../support/ledger-tool.js';
import { RecordedRun, passing } from '../support/recorded-run.js';
import { type ClientStep, done, text, toolCall } from '../support/scripted-client.js';
import { TempLog } from '../support/temp-log.js';

/** What a call of 10 and 5 tokens costs at the price of this model. */
const MODEL = 'gpt-4.1-mini';
const COST = '0.000012';
const CALLS = 4;
/** Reached by the second call, and by none of four. */
const [LIMIT, RAISED] = ['0.00002', '0.00005'];
const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };

interface Data {
  readonly cost?: string;
  readonly action_id?: string;
  readonly kind?: string;
  readonly decision?: string;
}
const dataOf = (event: RecordedEvent): Data => event.data ?? {};
const count = (events: readonly RecordedEvent[], type: string): number =>
  events.filter((event) => event.type === type).length;

const script = ({ messages }: { readonly messages: readonly { readonly role: string }[] }): ClientStep[] => {
  const said = messages.filter(({ role }) => role === 'assistant').length;
  return said < CALLS - 1 ? [done(toolCall(`c${said}`, 'look'))] : [text('done'), done()];
};

/** Every call on the log began below the limit that was in force. */
function checkLimit(events: readonly RecordedEvent[]): void {
  let spent = 0n;
  let limit = parseDollars(LIMIT);
  for (const event of events) {
    if (event.type === 'agent_action_resolved') limit = parseDollars(RAISED);
    if (event.type !== 'model_called') continue;
    expect(spent).toBeLessThan(limit);
    spent += parseDollars(dataOf(event).cost ?? '');
  }
}

describe('a run with a budget whose process dies', () => {
  let temp: TempLog;
  let recorded: RecordedRun;
  let boots = 0;
  const open = (): House =>
    new House(temp, `budget ${++boots}`, { script, model: MODEL, tools: [new LedgerTool('look')] });

  beforeAll(async () => {
    temp = await TempLog.open();
    const house = open();
    const started = await house.start('go', { config: { budget: LIMIT } });
    await finish(house, started);
    recorded = await RecordedRun.of(temp, started);
  });
  afterAll(() => temp.close());

  /** Raises the limit when the run waits for that, and lets it end. */
  async function finish(house: House, started: StartedRun, isRaised = false): Promise<void> {
    const ended = house.ended(started);
    const actions = house.core.actions(() => index);
    const raise = async (): Promise<void> => {
      const asked = await house.heard(started.session, ({ type }) => type === 'agent_action_required');
      await house.heard(started.session, ({ type }) => type === 'run_parked');
      await actions.resolve(dataOf(asked).action_id!, { decision: 'raise', budget: RAISED }, CALLER);
    };
    await passing(house, Promise.all([isRaised ? undefined : raise(), ended]));
    await house.settled();
  }

  it('is recorded as it goes', () => {
    const { events } = recorded;
    expect(events.filter(({ type }) => type === 'model_called').map((event) => dataOf(event).cost)).toEqual(
      Array.from({ length: CALLS }, () => COST),
    );
    const asked = events.findIndex(({ type }) => type === 'agent_action_required');
    expect(count(events.slice(0, asked), 'model_called')).toBe(2);
    checkLimit(events);
  });

  it('spends no more than its limit and asks once, wherever it is broken off', async () => {
    const lengths = recorded.boundaries;
    expect(lengths.length).toBeGreaterThan(10);
    for (const length of lengths) {
      const copy = await recorded.copy(length);
      const house = open();
      if (length < recorded.events.length) {
        await house.core.recovery.resume(copy.session);
        await finish(house, copy, count(recorded.events.slice(0, length), 'agent_action_resolved') > 0);
      }
      const events = await temp.read(sessionStream(copy.session));
      const before = count(recorded.events.slice(0, length), 'model_called');
      expect([length, count(events, 'model_called')]).toEqual([length, before + house.model.requests.length]);
      expect([length, count(events, 'model_turn_completed')]).toEqual([length, CALLS]);
      expect([length, count(events, 'agent_action_required')]).toEqual([length, 1]);
      expect(count(events, 'agent_completed')).toBe(1);
      checkLimit(events);
    }
  });
});
