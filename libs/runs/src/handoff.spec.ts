import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunConfig, sessionStream } from '#domain';
import { House } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { publicLines, systemOf } from '../../../test/support/run-script.js';
import { type ClientScript, done, text, toolCall } from '../../../test/support/scripted-client.js';
import { TempLog } from '../../../test/support/temp-log.js';

let temp: TempLog;
let boots = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const AGENTS = [
  { name: 'Tax Expert', description: 'knows the tax law' },
  { name: 'poet', description: 'writes verse' },
];
const config: RunConfig = { agents: AGENTS, rules: ['be brief'], system: 'You work for Acme.' };
const transfer = (id: string, to: string) => toolCall(id, `transfer_to_${to}`);

function open(script: ClientScript) {
  const look = new LedgerTool('look');
  return { look, house: new House(temp, `handoff ${++boots}`, { script, tools: [look] }) };
}

const toolsOf = (house: House, n: number) => house.model.requests[n]?.tools.map(({ name }) => name);

describe('a handoff', () => {
  it('is told before its tool response, and the run goes on with the specialist', async () => {
    const { house } = open([[done(transfer('c1', 'poet'))], [text('roses'), done()]]);
    const started = await house.run('hi', { config });
    expect(publicLines(await temp.read(sessionStream(started.session)), started.run)).toEqual([
      'started',
      'tool_use_start',
      'tool_use transfer_to_poet',
      'handoff poet',
      'tool_response transfer_to_poet',
      'step 1',
      'response_start',
      'response roses',
      'step 2',
      'cost 0',
      'completed',
    ]);
    expect(house.told(1)).toEqual(['user hi', 'assistant ', 'tool The conversation was handed off to poet.']);
  });

  it('puts name and description of the specialist first in the system message, before all that held already', async () => {
    const { house } = open([[done(transfer('c1', 'Tax_Expert'))], [text('pay'), done()]]);
    await house.run('hi', { config });
    const [before, after] = house.model.requests.map(systemOf);
    expect(before).toMatch(/^You work for Acme\./);
    expect(before).toContain('transfer tool');
    expect(after).toBe(`You are Tax Expert: knows the tax law\n\n${before}`);
    expect(after).toContain('- be brief');
  });

  it('leaves the tools as they are, with a way on and a way back instead of one to itself', async () => {
    const { house, look } = open([
      [done(transfer('c1', 'poet'))],
      [done(transfer('c2', 'Tax_Expert'), toolCall('c3', 'look'))],
      [done(transfer('c4', 'main_agent'))],
      [text('well'), done()],
    ]);
    const started = await house.run('hi', { config });
    expect([0, 1, 2, 3].map((n) => toolsOf(house, n))).toEqual([
      ['transfer_to_Tax_Expert', 'transfer_to_poet', 'look'],
      ['transfer_to_Tax_Expert', 'transfer_to_main_agent', 'look'],
      ['transfer_to_poet', 'transfer_to_main_agent', 'look'],
      ['transfer_to_Tax_Expert', 'transfer_to_poet', 'look'],
    ]);
    expect(look.calls).toHaveLength(1);
    const lines = publicLines(await temp.read(sessionStream(started.session)), started.run);
    expect(lines.filter((line) => line.startsWith('handoff'))).toEqual([
      'handoff poet',
      'handoff Tax Expert',
      'handoff main',
    ]);
    const heads = house.model.requests.map((request) => systemOf(request).split('\n')[0]);
    expect(heads).toEqual([
      'You work for Acme.',
      'You are poet: writes verse',
      'You are Tax Expert: knows the tax law',
      'You work for Acme.',
    ]);
  });

  it('lasts until the run ends and no longer', async () => {
    const { house } = open([
      [done(transfer('c1', 'poet'))],
      [text('roses'), done()],
      [text('plain'), done()],
    ]);
    const { session } = await house.run('hi', { config });
    await house.run('and now?', { session, config });
    expect(systemOf(house.model.requests[2])).toMatch(/^You work for Acme\./);
    expect(toolsOf(house, 2)).toContain('transfer_to_poet');
  });

  it.each(['main', 'main agent', 'main_agent'])(
    'back to the main agent is one where a specialist is called %s, too',
    async (name) => {
      const agents = [{ name, description: 'is somebody else' }];
      const { house } = open(({ tools }, n) => {
        const own = 'transfer_to_main_agent';
        const back = tools.find((tool) => tool.description.includes('the main agent, who had'))?.name;
        if (n === 0) return [done(toolCall('c1', name === 'main' ? 'transfer_to_main' : own))];
        return n === 1 ? [done(toolCall('c2', back ?? ''))] : [text('here'), done()];
      });
      const { session, run } = await house.run('hi', { config: { ...config, agents } });
      const heads = house.model.requests.map((request) => systemOf(request).split('\n')[0]);
      expect(heads).toEqual([
        'You work for Acme.',
        `You are ${name}: is somebody else`,
        'You work for Acme.',
      ]);
      const lines = publicLines(await temp.read(sessionStream(session)), run);
      expect(lines.filter((line) => line.startsWith('handoff'))).toHaveLength(2);
    },
  );

  it('of two in one turn the one that is on the log last counts, and both are told', async () => {
    const { house } = open([
      [done(transfer('c1', 'Tax_Expert'), transfer('c2', 'poet'))],
      [text('verse'), done()],
    ]);
    const { session, run } = await house.run('hi', { config });
    const lines = publicLines(await temp.read(sessionStream(session)), run);
    expect(lines.slice(5, 9)).toEqual([
      'handoff Tax Expert',
      'handoff poet',
      'tool_response transfer_to_Tax_Expert',
      'tool_response transfer_to_poet',
    ]);
    expect(systemOf(house.model.requests[1])).toMatch(/^You are poet/);
  });

  it('holds in a process that takes the run over', async () => {
    const first = open([[done(transfer('c1', 'poet'))], ['hang']]);
    const started = await first.house.start('hi', { config });
    await first.house.model.asked(2);
    await first.house.heard(started.session, ({ type }) => type === 'agent_step');
    const { house } = open([[text('roses'), done()]]);
    await house.core.recovery.resume(started.session);
    await house.ended(started);
    expect(systemOf(house.model.requests[0])).toMatch(/^You are poet: writes verse\n/);
    expect(toolsOf(house, 0)).toEqual(['transfer_to_Tax_Expert', 'transfer_to_main_agent', 'look']);
    for (const session of first.house.core.sessions.active()) session.stop();
    await first.house.settled();
  });
});
