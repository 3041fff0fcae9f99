import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FixedToolboxes, type ModelRequest, type Toolbox, Toolboxes } from '#agent';
import { OUTCOME_UNKNOWN, sessionStream } from '#domain';
import { House } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { RecordedRun } from '../../../test/support/recorded-run.js';
import { publicLines, systemOf } from '../../../test/support/run-script.js';
import { done, text, toolCall } from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { TempLog } from '../../../test/support/temp-log.js';
import { WorkflowHouse, configOf, stepLines } from '../../../test/support/workflow-house.js';
import { stepOf } from '../../../test/support/workflows.js';

let temp: TempLog;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const config = { mcp_servers: ['shop'] };

/** As in a process that never knew the servers of a run. */
class LostToolboxes extends Toolboxes {
  override open(): Promise<Toolbox> {
    return Promise.resolve({ tools: [], isLost: true, close: () => Promise.resolve() });
  }
}

const hanging = (name: string) =>
  new LedgerTool(name, { isRepeatable: true, act: () => new Promise(() => {}) });

async function takeOver(session: string, run: string, boot: string) {
  const house = new House(temp, boot, { script: [], toolboxes: new LostToolboxes() });
  await house.core.recovery.resume(session);
  await house.ended({ session, run, requested: 1 });
  const events = await temp.read(sessionStream(session));
  const responses = events.filter(({ type }) => type === 'agent_tool_response').map(({ data }) => data);
  return { house, events, responses, lines: publicLines(events, run) };
}

const unknownOf = (tool: string) => ({ content: JSON.stringify({ tool, content: OUTCOME_UNKNOWN }) });
const LOST = /^error tool_servers_lost .*send the request again$/;

describe('a run whose tool servers went with their process', () => {
  it('ends so, retryable, after the calls that were open were told as unknown', async () => {
    const tools = [hanging('sell'), new LedgerTool('stock')];
    const calls = [toolCall('c1', 'sell'), toolCall('c2', 'stock')];
    const first = new House(temp, 'first', { script: [[done(...calls)]], tools });
    const started = await first.start('hi', { config });
    await first.heard(started.session, ({ type }) => type === 'tool_call_completed');
    const { house, responses, lines, events } = await takeOver(started.session, started.run, 'second');
    expect(lines.slice(-6)).toEqual([
      'tool_use stock',
      'tool_response sell',
      'tool_response stock',
      'step 1',
      'cost 0',
      expect.stringMatching(LOST),
    ]);
    expect(responses).toEqual([unknownOf('sell'), { content: '{"tool":"stock","content":"stock did {}"}' }]);
    expect(events.at(-1)?.data).toMatchObject({ code: 'tool_servers_lost', retryable: true });
    expect(house.model.requests).toEqual([]);
  });

  it('tells the open calls of workflow steps as unknown, too, each before that of the workflow', async () => {
    const sell = hanging('sell');
    const inStep = () => [done(toolCall('x', 'sell'))];
    const work = new WorkflowHouse(temp, 'first of work', inStep, { tools: [sell] });
    const started = await work.house.start('hi', { config: configOf([stepOf('a'), stepOf('b')], config) });
    while (sell.calls.length < 2) await new Promise(setImmediate);
    const { lines, responses, house } = await takeOver(started.session, started.run, 'second of work');
    expect(responses).toEqual([unknownOf('sell'), unknownOf('sell'), unknownOf('run_workflow')]);
    expect(stepLines(lines)).toEqual(['started a 1', 'started b 1']);
    expect(lines.at(-1)).toMatch(LOST);
    expect(house.errors).toEqual([]);
  });

  it('and that has said everything ends as it would have', async () => {
    const first = new House(temp, 'said', { script: [[text('well'), done()]], tools: [] });
    const recorded = await RecordedRun.of(temp, await first.run('hi', { config }));
    const { session, run } = await recorded.copy(recorded.events.length - 2);
    const { lines } = await takeOver(session, run, 'second of said');
    expect(lines.slice(-3)).toEqual(['step 1', 'cost 0', 'completed']);
  });
});

describe('a run with tool servers in a service that stops', () => {
  it('goes on to its end, while another is left to the next process', async () => {
    const gate = new Gate();
    const script = ({ messages }: ModelRequest) =>
      messages.at(-1)?.role === 'tool' ? [text('well'), done()] : [gate, done(toolCall('c', 'look'))];
    const toolboxes = new FixedToolboxes([new LedgerTool('look')]);
    const house = new House(temp, 'stops', { script, toolboxes });
    const withServers = await house.start('one', { config });
    const without = await house.start('two', { config: {} });
    await house.model.asked(2);
    for (const session of house.core.sessions.active()) session.drain();
    gate.open();
    await house.ended(withServers);
    await house.settled();
    const endOf = async ({ session }: { session: string }) =>
      (await temp.typesOf(sessionStream(session))).at(-1);
    expect([await endOf(withServers), await endOf(without)]).toEqual(['agent_completed', 'agent_step']);
  });
});

describe('what is missing of the tools', () => {
  const warning = (server: string) => ({
    code: 'tool_server_unavailable',
    server,
    reason: `The tool server "${server}" is gone.`,
  });

  class Lacking extends Toolboxes {
    constructor(private readonly missing?: string) {
      super();
    }
    override open(): Promise<Toolbox> {
      const warnings = [warning('shop'), warning('store')];
      const { missing } = this;
      return Promise.resolve({ tools: [], warnings, missing, close: () => Promise.resolve() });
    }
  }

  const warningsIn = (events: readonly { type: string; data: unknown }[]) =>
    events
      .filter(({ type }) => type === 'agent_warning')
      .map(({ data }) => JSON.parse((data as { content: string }).content) as unknown);

  it('is told behind the start of the run, before anything of its first turn', async () => {
    const house = new House(temp, 'lacks', {
      script: [[text('well'), done()]],
      toolboxes: new Lacking(),
    });
    const { session } = await house.run('hi', { config });
    const events = await temp.read(sessionStream(session));
    expect(events.map(({ type }) => type).slice(3, 7)).toEqual([
      'agent_started',
      'agent_warning',
      'agent_warning',
      'agent_response_start',
    ]);
    expect(warningsIn(events)).toEqual([warning('shop'), warning('store')]);
  });

  it('is told once, also where another process goes on with the run', async () => {
    const first = new House(temp, 'lacks first', {
      script: [[text('well'), done()]],
      toolboxes: new Lacking(),
    });
    const recorded = await RecordedRun.of(temp, await first.run('hi', { config: {} }));
    const { session, run } = await recorded.copy(5);
    const script = [[text('well'), done()]];
    const second = new House(temp, 'lacks second', { script, toolboxes: new Lacking() });
    await second.core.recovery.resume(session);
    await second.ended({ session, run, requested: 1 });
    expect(warningsIn(await temp.read(sessionStream(session)))).toEqual([warning('shop'), warning('store')]);
  });

  it('ends the run before the model is asked, where it cannot do without', async () => {
    const toolboxes = new Lacking('a required tool server cannot be used: it is gone');
    const house = new House(temp, 'cannot', { script: [], toolboxes });
    const { session, run } = await house.run('hi', { config });
    const events = await temp.read(sessionStream(session));
    expect(publicLines(events, run).at(-1)).toBe(
      'error tool_servers_lost a required tool server cannot be used: it is gone',
    );
    expect(events.at(-1)?.data).toMatchObject({ retryable: true });
    expect(house.model.requests).toEqual([]);
  });
});

describe('what the toolbox has to say of its servers', () => {
  it('stands in the system message of every turn, also in steps', async () => {
    class Noticing extends Toolboxes {
      override open(): Promise<Toolbox> {
        const notices = ['The tool server "shop" is not available: refused.'];
        return Promise.resolve({ tools: [], notices, close: () => Promise.resolve() });
      }
    }
    const work = new WorkflowHouse(temp, 'notices', undefined, { toolboxes: new Noticing() });
    await work.run(configOf([stepOf('a')], config));
    expect(work.house.model.requests).toHaveLength(3);
    for (const request of work.house.model.requests)
      expect(systemOf(request)).toContain('"shop" is not available: refused.');
  });
});
