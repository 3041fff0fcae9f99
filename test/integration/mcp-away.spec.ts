import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openMcpTools } from '#mcp';
import { type RecordedEvent } from '#event-log';
import { sessionStream } from '#domain';
import { EgressGuard, SilentLogger, SystemClock, readEgressAllow } from '#platform';
import { type DecisionRequest, RunToolboxes, type StartedRun } from '#runs';
import { CALLER, House } from '../support/house.js';
import { FORM, TaskServer, completed, said, wanting } from '../support/mcp-servers/task-server.js';
import { type ClientStep, done, text, toolCall } from '../support/scripted-client.js';
import { TempLog } from '../support/temp-log.js';
import { quiet } from '../support/quiet.js';
import { until } from '../support/until.js';

/** The one whose tool is called, and another one that stands before it in the request. */
let server: TaskServer;
let other: TaskServer;
let temp: TempLog;
let count = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());
beforeEach(async () => {
  server = await TaskServer.start();
  other = await TaskServer.start();
  other.tools = ['sift'];
});
afterEach(async () => {
  await server.close();
  await other.close();
});

function open(called = 'dig', awayMs = 20_000): House {
  const script = ({
    messages,
  }: {
    messages: readonly { role: string; content: unknown }[];
  }): ClientStep[] => {
    const result = messages.findLast(({ role }) => role === 'tool');
    return result === undefined
      ? [done(toolCall('c1', called, { deep: true }))]
      : [text(`told: ${String(result.content)}`), done()];
  };
  const limits = { minPollMs: 5, pollMs: 5, maxPollMs: 40, taskSilenceMs: 2_000, awayMs };
  const openServers: typeof openMcpTools = (servers, more, signal) =>
    openMcpTools(servers, { ...more, limits }, signal);
  const ports = {
    egress: new EgressGuard(readEgressAllow('127.0.0.1')),
    clock: new SystemClock(),
    logger: new SilentLogger(),
    knowledge: { open: () => Promise.resolve([]) },
  };
  return new House(temp, `away ${++count}`, {
    script,
    toolboxes: new RunToolboxes({ ...ports, openServers }),
  });
}

const entries = () => [other.entryAs('sieve'), server.entry];

function start(house: House, isRequired = false, config = {}): Promise<StartedRun> {
  const mcpServers = entries().map((entry) => ({ ...entry, required: isRequired }));
  return house.start('dig', { config: { mcp_servers: ['sieve', 'quarry'], ...config }, mcpServers });
}

const index = { askedAt: () => Promise.resolve(null), due: () => Promise.resolve([]) };
const events = (session: string) => temp.read(sessionStream(session));
const idOf = ({ data }: RecordedEvent): string => (data as { action_id: string }).action_id;

async function asked(house: House, { session }: StartedRun): Promise<string> {
  const action = await house.heard(session, ({ type }) => type === 'agent_action_required');
  await house.heard(session, ({ type }) => type === 'run_parked');
  await until(() => house.core.admission.running === 0);
  return idOf(action);
}

const decide = (house: House, action: string, request: DecisionRequest) =>
  house.core.actions(() => index).resolve(action, request, CALLER);

/** Until the run is about to be left to its server. */
async function begun(house: House, of: StartedRun): Promise<void> {
  await house.heard(of.session, ({ type }) => type === 'tool_task_started');
  await until(() => server.asked.length > 0);
}

async function left(house: House, of: StartedRun): Promise<void> {
  house.clock.advance(2_000);
  await house.heard(of.session, ({ type }) => type === 'run_parked');
  await until(() => house.core.admission.running === 0);
}

async function toldOf(house: House, of: StartedRun) {
  const end = await house.ended(of);
  const warnings = (await events(of.session)).filter(({ type }) => type === 'agent_warning');
  return {
    end: end.type,
    told: house.told(-1).at(-1),
    warnings: warnings.map(
      ({ data }) => (JSON.parse((data as { content: string }).content) as { server: string }).server,
    ),
  };
}

const ANSWER: DecisionRequest = { decision: 'answer', result: { value: { metres: 3 } } };
const GOLD = { end: 'agent_completed', told: 'tool gold', warnings: [] };

describe('a task', () => {
  it.each([false, true])(
    'whose server is away when the run is left to it is asked for when that is back (required: %s)',
    async (isRequired) => {
      const house = open();
      const of = await start(house, isRequired);
      await begun(house, of);
      await server.leave();
      await left(house, of);
      await quiet(300);
      expect((await events(of.session)).at(-1)?.type).toBe('run_parked');
      server.answerOf = () => completed('gold');
      await server.comeBack();
      expect(await toldOf(house, of)).toEqual(GOLD);
      expect(server.calls).toHaveLength(1);
    },
  );

  it('is asked for where its tool is not listed any more, and by another name where names have changed', async () => {
    other.tools = ['dig'];
    const house = open('quarry_dig');
    const of = await start(house);
    await begun(house, of);
    await other.leave();
    server.tools = ['sift'];
    await left(house, of);
    server.answerOf = () => completed('gold');
    expect(await toldOf(house, of)).toEqual({ ...GOLD, warnings: ['sieve'] });
  });

  it('is never asked for at another server that has a tool of the name now', async () => {
    const house = open();
    const of = await start(house);
    await begun(house, of);
    await server.leave();
    other.tools = ['dig'];
    await left(house, of);
    await quiet(200);
    server.answerOf = () => completed('gold');
    await server.comeBack();
    expect(await toldOf(house, of)).toEqual(GOLD);
    expect([other.asked, other.calls]).toEqual([[], []]);
  });

  it('whose server stays away is given up, with the reason, when it was silent for long enough', async () => {
    const house = open();
    const of = await start(house);
    await begun(house, of);
    await server.leave();
    await left(house, of);
    expect(await toldOf(house, of)).toEqual({
      end: 'agent_completed',
      told: expect.stringMatching(/^tool outcome unknown: the tool server "quarry" does not answer any more/),
      warnings: ['quarry'],
    });
  });

  it('of a dead process is asked for when its server, which was away at the supply, is back', async () => {
    const first = open();
    const of = await start(first);
    await begun(first, of);
    for (const session of first.core.sessions.active()) session.stop();
    await first.settled();
    const house = open();
    await house.core.recovery.resume(of.session);
    const action = await asked(house, of);
    const mcpServers = entries();
    await server.leave();
    await decide(house, action, { decision: 'supply', mcpServers });
    await quiet(200);
    server.answerOf = () => completed('gold');
    await server.comeBack();
    expect(await toldOf(house, of)).toEqual(GOLD);
    expect(server.calls).toHaveLength(1);
  });

  it('goes on with what was answered while its server was away', async () => {
    server.answerOf = () =>
      server.updates.length === 0
        ? { result: { status: 'input_required', inputRequests: { depth: FORM } } }
        : completed('gold');
    const house = open();
    const of = await start(house);
    const action = await asked(house, of);
    await server.leave();
    await decide(house, action, ANSWER);
    await quiet(200);
    await server.comeBack();
    expect(await toldOf(house, of)).toEqual(GOLD);
    expect(server.updates).toHaveLength(1);
  });
});

describe('a call that somebody has decided on', () => {
  const whenWanted = () => {
    server.answerCall = (_, calls) => (calls === 1 ? wanting({ depth: FORM }, 'state 1') : said('gold'));
  };
  const approvals = { approvals: { tools: { dig: 'ask' } } } as const;

  it.each([false, true])('goes on when its server is back (required: %s)', async (isRequired) => {
    whenWanted();
    const house = open();
    const of = await start(house, isRequired);
    const action = await asked(house, of);
    await server.leave();
    other.tools = ['dig'];
    await decide(house, action, ANSWER);
    await quiet(200);
    await server.comeBack();
    expect(await toldOf(house, of)).toEqual(GOLD);
    expect(server.calls.map(({ requestState }) => requestState)).toEqual([undefined, 'state 1']);
    expect(other.calls).toEqual([]);
  });

  it('is made when its server is back, where it was approved', async () => {
    server.answerCall = () => said('gold');
    const house = open();
    const of = await start(house, false, approvals);
    const action = await asked(house, of);
    await server.leave();
    await decide(house, action, { decision: 'approve' });
    await quiet(200);
    await server.comeBack();
    expect(await toldOf(house, of)).toEqual(GOLD);
  });

  it('is told why it was not made where its server stays away', async () => {
    whenWanted();
    const house = open('dig', 300);
    const of = await start(house);
    const action = await asked(house, of);
    await server.leave();
    await decide(house, action, ANSWER);
    expect(await toldOf(house, of)).toEqual({
      end: 'agent_completed',
      told: 'tool the call was not made: the tool server "quarry" refused the connection',
      warnings: ['quarry'],
    });
  });
});
