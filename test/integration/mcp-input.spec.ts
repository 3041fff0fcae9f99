import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ActionDecision, sessionStream } from '#domain';
import { type RecordedEvent } from '#event-log';
import type { StartedRun } from '#runs';
import { CALLER, type House } from '../support/house.js';
import {
  ADDRESS,
  FORM,
  TaskServer,
  WORKING,
  completed,
  said,
  wanting,
} from '../support/mcp-servers/task-server.js';
import { openQuarry, startDigging } from '../support/quarry.js';
import { TempLog } from '../support/temp-log.js';
import { until } from '../support/until.js';

let server: TaskServer;
let temp: TempLog;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());
beforeEach(async () => {
  server = await TaskServer.start();
});
afterEach(() => server.close());

const open = (): House => openQuarry(temp);
const start = (house: House): Promise<StartedRun> => startDigging(house, server);

const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };

/** What the run waits for, in the order in which it was asked, when nobody drives it any more. */
async function asked(
  house: House,
  { session }: StartedRun,
  times: number,
): Promise<readonly RecordedEvent[]> {
  let parked = 0;
  await house.heard(session, ({ type }) => type === 'run_parked' && ++parked >= times);
  await house.settled();
  const events = await temp.read(sessionStream(session));
  const closed = new Set(
    events.filter(({ type }) => type === 'agent_action_resolved').map(({ data }) => idOf(data)),
  );
  return events.filter(({ type, data }) => type === 'agent_action_required' && !closed.has(idOf(data)));
}

const idOf = (data: object): string => (data as { action_id: string }).action_id;

const decide = (house: House, action: RecordedEvent, decision: ActionDecision, result?: unknown) =>
  house.core
    .actions(() => index)
    .resolve(
      idOf(action.data),
      { decision, ...(result === undefined ? {} : { result: { value: result } }) },
      CALLER,
    );

const sent = () => server.calls.map(({ inputResponses, requestState }) => ({ inputResponses, requestState }));

describe('a call of which the server wants to know more first', () => {
  it('waits for somebody, and goes on with what was answered and what the server wanted back', async () => {
    server.answerCall = (_, calls) =>
      calls === 1 ? wanting({ depth: FORM, terms: ADDRESS }, 'state 1') : said('gold');
    const house = open();
    const run = await start(house);
    const [depth, terms] = await asked(house, run, 1);
    expect([depth, terms].map((action) => action!.data)).toEqual([
      expect.objectContaining({
        kind: 'input',
        content: JSON.stringify({
          server: 'quarry',
          tool: 'dig',
          message: 'How deep?',
          schema: FORM.params.requestedSchema,
        }),
      }),
      expect.objectContaining({
        kind: 'input',
        content: JSON.stringify({
          server: 'quarry',
          tool: 'dig',
          message: 'Sign here',
          url: 'https://sign.example/1',
        }),
      }),
    ]);
    for (const wrong of [{ metres: 'many' }, {}, 'deep', null])
      await expect(decide(house, depth!, 'answer', wrong)).rejects.toMatchObject({
        code: 'unprocessable',
        message: expect.stringMatching(/^result: /),
      });
    await expect(decide(house, depth!, 'answer')).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(decide(house, terms!, 'answer', { signed: true })).rejects.toMatchObject({
      code: 'unprocessable',
    });
    await expect(decide(house, terms!, 'approve')).rejects.toMatchObject({ code: 'unprocessable' });
    expect(await decide(house, terms!, 'answer')).toMatchObject({ resolved: { decision: 'answer' } });
    await decide(house, depth!, 'answer', { metres: 7 });
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(sent()).toEqual([
      {},
      {
        inputResponses: {
          depth: { action: 'accept', content: { metres: 7 } },
          terms: { action: 'accept' },
        },
        requestState: 'state 1',
      },
    ]);
    expect(house.told(-1).at(-1)).toBe('tool gold');
    // The same again changes nothing, another decision comes too late.
    await expect(decide(house, depth!, 'answer', { metres: 8 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not told again what it was told before it only wants to be asked again', async () => {
    server.answerCall = (_, calls) =>
      calls === 1 ? wanting({ depth: FORM }, 'state 1') : calls === 2 ? wanting({}, 'state 2') : said('gold');
    const house = open();
    const run = await start(house);
    const [depth] = await asked(house, run, 1);
    await decide(house, depth!, 'answer', { metres: 7 });
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(sent()).toEqual([
      {},
      { inputResponses: { depth: { action: 'accept', content: { metres: 7 } } }, requestState: 'state 1' },
      { requestState: 'state 2' },
    ]);
  });

  it('is told what was denied, and may ask once more', async () => {
    server.answerCall = (_, calls) => (calls <= 2 ? wanting({ depth: FORM }) : said('sand'));
    const house = open();
    const run = await start(house);
    const [first] = await asked(house, run, 1);
    await decide(house, first!, 'deny');
    const [second] = await asked(house, run, 2);
    expect(idOf(second!.data)).not.toBe(idOf(first!.data));
    await decide(house, second!, 'answer', { metres: 1 });
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(sent()).toEqual([
      {},
      { inputResponses: { depth: { action: 'decline' } } },
      { inputResponses: { depth: { action: 'accept', content: { metres: 1 } } } },
    ]);
  });

  it('is given up after ten rounds, and where the server wants what is not offered', async () => {
    server.answerCall = () => wanting({ it: { method: 'sampling/createMessage', params: {} } });
    const house = open();
    const run = await start(house);
    await house.ended(run);
    expect(house.told(-1).at(-1)).toMatch(/wants something to be done that is not offered/);
    server.calls.length = 0;
    server.answerCall = () => wanting({ depth: FORM });
    const again = await start(house);
    for (let round = 1; round <= 10; round++) {
      const [action] = await asked(house, again, round);
      await decide(house, action!, 'deny');
    }
    await house.ended(again);
    expect(house.told(-1).at(-1)).toMatch(/wanted to know more again and again/);
    expect(server.calls).toHaveLength(11);
  });

  it('is not gone on with twice by a process that takes the run over', async () => {
    server.answerCall = (_, calls) => (calls === 1 ? wanting({ depth: FORM }) : 'cut');
    const first = open();
    const run = await start(first);
    const [depth] = await asked(first, run, 1);
    const second = open();
    server.answerCall = () => said('gold');
    await second.core.recovery.resume(run.session);
    await decide(second, depth!, 'answer', { metres: 1 });
    // Nobody knows its servers there.
    const servers = await asked(second, run, 2);
    expect(servers.map(({ data }) => (data as { kind: string }).kind)).toEqual(['tool_servers']);
    await second.core
      .actions(() => index)
      .resolve(idOf(servers[0]!.data), { decision: 'supply', mcpServers: [server.entry] }, CALLER);
    await second.ended(run);
    expect(second.told(-1).at(-1)).toBe('tool gold');
    expect(server.calls).toHaveLength(2);
  });

  it('is made anew by a retry, which asks anew', async () => {
    server.answerCall = ({ inputResponses }) =>
      inputResponses === undefined ? wanting({ depth: FORM }, 'state') : said('gold');
    const house = open();
    const run = await start(house);
    await asked(house, run, 1);
    await house.cancel(run);
    await house.ended(run);
    const mcpServers = [server.entry];
    const terms = { actor: CALLER.actor };
    const command = await house.core.retries.commandOf({ ...run, mcpServers }, CALLER.project, terms);
    const again = await house.core.startRun.start(command);
    const isAsked = ({ type, meta }: RecordedEvent) =>
      type === 'agent_action_required' && meta.run === again.run;
    const depth = await house.heard(run.session, isAsked);
    await decide(house, depth, 'answer', { metres: 1 });
    expect((await house.ended(again)).type).toBe('agent_completed');
    expect(house.told(-1).at(-1)).toBe('tool gold');
    expect(sent()).toEqual([
      {},
      {},
      { inputResponses: { depth: { action: 'accept', content: { metres: 1 } } }, requestState: 'state' },
    ]);
  });

  it('may be a task, which is told the answers', async () => {
    server.answerOf = (_, times) => {
      if (server.updates.length === 0)
        return times < 2 ? WORKING : { result: { status: 'input_required', inputRequests: { depth: FORM } } };
      return times < 5
        ? { result: { status: 'input_required', inputRequests: { depth: FORM } } }
        : completed('gold');
    };
    const house = open();
    const run = await start(house);
    const [depth] = await asked(house, run, 1);
    await decide(house, depth!, 'answer', { metres: 3 });
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(server.updates.map(({ taskId, inputResponses }) => [taskId, inputResponses])).toEqual([
      ['t1', { depth: { action: 'accept', content: { metres: 3 } } }],
    ]);
    expect(house.told(-1).at(-1)).toBe('tool gold');
    expect(server.calls).toHaveLength(1);
  });

  it('may be a task, which is told each answer once, also where it goes on wanting it for long', async () => {
    let asks = 0;
    server.answerOf = () => {
      asks++;
      return isDone
        ? completed('gold')
        : { result: { status: 'input_required', inputRequests: { depth: FORM } } };
    };
    let isDone = false;
    const house = open();
    const run = await start(house);
    const [depth] = await asked(house, run, 1);
    await decide(house, depth!, 'answer', { metres: 3 });
    await until(() => server.updates.length > 0);
    // Whoever drives the run leaves it to the server, and others ask.
    house.clock.advance(2_000);
    let parked = 0;
    await house.heard(run.session, ({ type }) => type === 'run_parked' && ++parked === 2);
    const before = asks;
    await until(() => asks > before + 3);
    isDone = true;
    expect((await house.ended(run)).type).toBe('agent_completed');
    expect(server.updates).toHaveLength(1);
  });
});
