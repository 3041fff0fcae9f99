import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ModelRequest, Tool } from '#agent';
import { type RunConfig, isPublicType, sessionStream } from '#domain';
import { type RecordedEvent } from '#event-log';
import { MemoryFileStore } from '#vault';
import { CALLER, House, type HouseOptions } from '../../../../test/support/house.js';
import { LedgerTool } from '../../../../test/support/ledger-tool.js';
import { type ClientStep, done, text, toolCall } from '../../../../test/support/scripted-client.js';
import { Gate } from '../../../../test/support/scripted-turn.js';
import { TempLog } from '../../../../test/support/temp-log.js';
import { stepOf, workflowOf } from '../../../../test/support/workflows.js';
import type { StartedRun } from '../start/start-run-request.js';
import type { ReplayRun } from './plan-replay.js';

let temp: TempLog;
let count = 0;
const files = new MemoryFileStore();
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const open = (options: HouseOptions) => new House(temp, `replay ${++count}`, { files, ...options });

type Change = Partial<Omit<ReplayRun, 'run' | 'requested'>>;

async function startReplay(
  house: House,
  { run, requested }: StartedRun,
  { tools = 'recorded', ...change }: Change = {},
  key?: string,
): Promise<StartedRun> {
  const idempotency = key === undefined ? {} : { idempotency: { key, payload: run } };
  const command = await house.core.replays.commandOf({ run, requested, tools, ...change }, CALLER.project, {
    actor: CALLER.actor,
    ...idempotency,
  });
  return house.core.startRun.start(command);
}

async function replay(house: House, of: StartedRun, change: Change = {}): Promise<StartedRun> {
  const started = await startReplay(house, of, change);
  await house.ended(started);
  return started;
}

/** What a client was told, but ids, and the pieces of a text as one. */
async function told({ session, run }: StartedRun): Promise<string[]> {
  const lines: string[] = [];
  let last = '';
  for (const { type, data, meta } of await temp.read(sessionStream(session))) {
    if (meta.run !== run || !isPublicType(type)) continue;
    const { content = '' } = data as { content?: string };
    const isText = type === 'agent_response' || type === 'agent_thinking';
    if (isText && type === last) lines[lines.length - 1] += content;
    else lines.push(isText ? `${type} ${content}` : `${type} ${JSON.stringify(data)}`);
    last = type;
  }
  return lines;
}

const eventsOf = async ({ session, run }: StartedRun): Promise<readonly RecordedEvent[]> =>
  (await temp.read(sessionStream(session))).filter(({ meta }) => meta.run === run);
const driftsOf = async (run: StartedRun): Promise<unknown[]> =>
  (await eventsOf(run))
    .filter(({ type }) => type === 'agent_drift')
    .map(({ data }) => JSON.parse((data as { content: string }).content) as unknown);

const resultsIn = ({ messages }: ModelRequest): readonly string[] =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === 'user'))
    .filter(({ role }) => role === 'tool')
    .map(({ content }) => content);

/** Looks twice for the same, and pays; then says what it was told. */
const script = (request: ModelRequest): ClientStep[] => {
  const results = resultsIn(request);
  if (results.length === 0)
    return [
      text('let me see'),
      done(toolCall('c1', 'look', { at: 'it' }), toolCall('c2', 'look', { at: 'it' })),
    ];
  if (results.length === 2) return [done(toolCall('c1', 'pay', { euros: 5 }))];
  return [text(`told: ${results.join('; ')}`), done()];
};

/** Each call of `look` answers something else, and `pay` fails. */
function tools() {
  let looks = 0;
  const look = new LedgerTool('look', { act: () => Promise.resolve(`look ${++looks}`) });
  const pay = new LedgerTool('pay', { act: () => Promise.reject(new Error('no money')) });
  const made = () => look.calls.length + pay.calls.length;
  return { all: [look, pay] as readonly Tool[], made };
}

describe('a replay', () => {
  it('is told the same as the run was, and makes no call', async () => {
    const { all, made } = tools();
    const house = open({ script, tools: all });
    const { session } = await house.run('before');
    const first = await house.run('buy it', { session });
    const calls = made();
    const other = open({ script });
    const again = await replay(other, first);
    expect(await told(again)).toEqual(await told(first));
    expect(await driftsOf(again)).toEqual([]);
    expect(made()).toBe(calls);
    expect(other.model.requests.map(({ messages, tools: offered }) => [messages, offered])).toEqual(
      house.model.requests.slice(-3).map(({ messages, tools: offered }) => [messages, offered]),
    );
  });

  it('tells of calls that the record holds no result of, to the client and to the model', async () => {
    const { all } = tools();
    const house = open({ script, tools: all });
    const first = await house.run('buy it');
    const strays = (request: ModelRequest): ClientStep[] => {
      const results = resultsIn(request);
      const calls = [{ at: 'it' }, { at: 'it' }, { at: 'it' }, { at: 'else' }];
      if (results.length === 0) return [done(...calls.map((input, n) => toolCall(`x${n}`, 'look', input)))];
      return [text(results.join('; ')), done()];
    };
    const other = open({ script: strays });
    const again = await replay(other, first);
    expect(await driftsOf(again)).toEqual([
      { tool: 'look', input: { at: 'it' } },
      { tool: 'look', input: { at: 'else' } },
    ]);
    const types = (await eventsOf(again)).map(({ type }) => type);
    const lastUse = types.lastIndexOf('agent_tool_use');
    expect(types.slice(lastUse + 1, lastUse + 3)).toEqual(['agent_drift', 'agent_drift']);
    const results = resultsIn(other.model.requests[1]!);
    expect(results.slice(0, 2)).toEqual(['look 1', 'look 2']);
    expect(results.slice(2).every((result) => result.includes('no result of such a call'))).toBe(true);
  });

  it('goes on after a crash at any event as if nothing had happened', async () => {
    const { all, made } = tools();
    const house = open({ script, tools: all });
    const first = await house.run('buy it');
    const whole = await told(first);
    const calls = made();
    const events = await eventsOf(await replay(open({ script }), first));
    for (let turn = 0; turn < 3; turn++) {
      const gate = new Gate();
      const dying = open({ script: (request, n) => (n === turn ? [gate] : script(request)) });
      const started = await startReplay(dying, first);
      await gate.reached;
      const next = open({ script });
      await next.core.recovery.resume(started.session);
      await next.ended(started);
      expect(await told(started)).toEqual(whole);
    }
    expect(events.length).toBeGreaterThan(10);
    expect(made()).toBe(calls);
  });

  it('is the same for the same key, and 409 before the run has ended', async () => {
    const gate = new Gate();
    const house = open({ script: () => [gate, text('ok'), done()] });
    const running = await house.start('hi');
    await gate.reached;
    await expect(startReplay(house, running)).rejects.toMatchObject({ code: 'conflict' });
    gate.open();
    await house.ended(running);
    const other = open({ script: () => [text('ok'), done()] });
    const twice = [await startReplay(other, running, {}, 'k'), await startReplay(other, running, {}, 'k')];
    expect(twice[1]!.run).toBe(twice[0]!.run);
    await other.ended(twice[0]!);
    const forks = (await temp.read(sessionStream(running.session))).filter(
      ({ type }) => type === 'session_forked',
    );
    expect(forks).toHaveLength(1);
    const stranger = { project: 'elsewhere', actor: 'key_2' };
    const asked = { ...running, tools: 'recorded' as const };
    await expect(other.core.replays.commandOf(asked, stranger.project, stranger)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('takes another system prompt, model and mode, or none of the tools', async () => {
    const { all } = tools();
    const house = open({ script, tools: all });
    const first = await house.run('buy it', { config: { system: 'You are A.' } });
    const other = open({ script: () => [text('ok'), done()] });
    await replay(other, first, { system: 'You are B.', model: 'm-other' });
    await replay(other, first, { mode: 'max', tools: 'none' });
    await replay(other, first);
    const [changed, max, same] = other.model.requests;
    expect(changed!.messages[0]!.content).toContain('You are B.');
    expect([changed!.model, max!.model, same!.model]).toEqual(['m-other', 'm-max', 'm-base']);
    expect([changed!.tools.length, max!.tools.length, same!.tools.length]).toEqual([2, 0, 2]);
  });

  it('is refused where the log does not hold what was offered', async () => {
    const house = open({ script: () => [text('ok'), done()] });
    const first = await house.run('hi', { config: { datastores: [{ id: 'ds_1', name: 'd' }] } });
    await expect(startReplay(house, first)).rejects.toMatchObject({ code: 'unprocessable' });
    await replay(house, first, { tools: 'none' });
  });

  it('hands off and carries out workflows, whose calls have the results of the record', async () => {
    const { all, made } = tools();
    const config: RunConfig = {
      agents: [{ name: 'poet', description: 'writes verse' }],
      workflows: [workflowOf(stepOf('a'))],
    };
    const both = (request: ModelRequest): ClientStep[] => {
      const { messages } = request;
      const isStep = String(messages.at(1)?.content).startsWith('You carry out one step');
      if (isStep)
        return resultsIn(request).length === 0
          ? [done(toolCall('s', 'look', { at: 'step' }))]
          : [text(resultsIn(request).join()), done()];
      const { length } = resultsIn(request);
      if (length === 0) return [done(toolCall('h', 'transfer_to_poet'))];
      if (length === 1)
        return [done(toolCall('w', 'run_workflow', { workflow_id: config.workflows![0]!.id }))];
      return [text(resultsIn(request).join('; ')), done()];
    };
    const house = open({ script: both, tools: all });
    const first = await house.run('work', { config });
    const calls = made();
    expect(calls).toBe(1);
    const again = await replay(open({ script: both }), first);
    expect(await told(again)).toEqual(await told(first));
    expect(made()).toBe(calls);
  });

  it('is given what steered the run where it came then', async () => {
    const gate = new Gate();
    const house = open({
      script: (request, n) => (n === 0 ? [gate, ...script(request)] : script(request)),
      tools: tools().all,
    });
    const first = await house.start('buy it');
    await gate.reached;
    await house.start('and be quick', { session: first.session, onBusy: 'steer' });
    gate.open();
    await house.ended(first);
    const again = await replay(open({ script }), first);
    expect(await told(again)).toEqual(await told(first));
    const short = await replay(open({ script: () => [text('ok'), done()] }), first);
    expect((await eventsOf(short)).map(({ type }) => type)).toContain('agent_steered');
  });

  it('gives a run with what it goes on with as one run', async () => {
    const { all, made } = tools();
    let isBroken = true;
    const breaking = (request: ModelRequest): ClientStep[] => {
      if (resultsIn(request).length === 2 && isBroken) return ['hang'];
      return script(request);
    };
    const house = open({ script: breaking, tools: all });
    const first = await house.start('buy it');
    await house.model.asked(2);
    await house.cancel(first);
    await house.ended(first);
    isBroken = false;
    const command = await house.core.retries.commandOf(
      { run: first.run, requested: first.requested, mcpServers: [] },
      CALLER.project,
      { actor: CALLER.actor },
    );
    const second = await house.core.startRun.start(command);
    await house.ended(second);
    const calls = made();
    const again = await replay(open({ script }), second);
    const lines = await told(again);
    expect(lines.filter((line) => line.startsWith('agent_drift'))).toEqual([]);
    expect(lines.at(-4)).toBe((await told(second)).at(-4));
    expect(lines.filter((line) => line.startsWith('agent_step'))).toHaveLength(3);
    expect(made()).toBe(calls);
  });

  it('reads messages and results that lie in files', async () => {
    const long = 'x'.repeat(200_000);
    const look = new LedgerTool('look', { act: () => Promise.resolve(long) });
    const asks = (request: ModelRequest): ClientStep[] =>
      resultsIn(request).length === 0
        ? [done(toolCall('c', 'look'))]
        : [text(String(resultsIn(request)[0]!.length)), done()];
    const house = open({ script: asks, tools: [look] });
    const first = await house.run(long);
    const other = open({ script: asks });
    const again = await replay(other, first);
    expect(other.told(-1)[0]).toBe(`user ${long}`);
    expect((await told(again)).some((line) => line.endsWith('agent_response 200000'))).toBe(true);
  });
});
