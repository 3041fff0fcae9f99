import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ModelFailure, type ModelRequest } from '#agent';
import { type RunConfig, sessionStream } from '#domain';
import { House } from '../../../test/support/house.js';
import { LedgerTool } from '../../../test/support/ledger-tool.js';
import { isFinalAsked, lastUserOf, publicLines, systemOf } from '../../../test/support/run-script.js';
import {
  type ClientScript,
  type ClientStep,
  done,
  text,
  thought,
  toolCall,
} from '../../../test/support/scripted-client.js';
import { Gate } from '../../../test/support/scripted-turn.js';
import { TempLog } from '../../../test/support/temp-log.js';

let temp: TempLog;
let boots = 0;
beforeAll(async () => {
  temp = await TempLog.open();
});
afterAll(() => temp.close());

const schema = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};
const config: RunConfig = { final_output: { name: 'count', schema }, rules: ['be brief'] };

const open = (script: ClientScript, tools: readonly LedgerTool[] = []) =>
  new House(temp, `final ${++boots}`, { script, tools });

/** The agent says `six`, then gives these answers as final output. */
const script =
  (...answers: readonly (readonly ClientStep[])[]) =>
  (request: ModelRequest): readonly ClientStep[] => {
    if (!isFinalAsked(request)) return [text('six'), done()];
    return answers[asked++] ?? [new Error('asked too often')];
  };
let asked = 0;

async function runWith(...answers: readonly (readonly ClientStep[])[]) {
  asked = 0;
  const house = open(script(...answers));
  const started = await house.run('count', { config });
  const events = await temp.read(sessionStream(started.session));
  const lines = publicLines(events, started.run);
  const final = house.model.requests.filter(isFinalAsked);
  return { house, started, events, lines, final };
}

const BEGIN = ['started', 'response_start', 'response six', 'step 1'];
const wrong = [text('{"n":"six"}'), done()];
const right = [text('{"n":6}'), done()];

describe('the final output of a run', () => {
  it('comes after the last step and before the cost, and nothing else of its turn is told', async () => {
    const { lines, events } = await runWith([thought('hm'), ...right]);
    expect(lines).toEqual([...BEGIN, 'final_output {"n":6}', 'cost 0', 'completed']);
    expect(events.find(({ type }) => type === 'agent_final_output')?.data).toEqual({
      name: 'count',
      content: '{"n":6}',
    });
  });

  it('is asked for with the schema as response_format, without tools, behind what was said', async () => {
    const { house, final } = await runWith(right);
    expect(final).toMatchObject([{ responseFormat: { name: 'count', schema, strict: false }, tools: [] }]);
    expect(final[0]?.forcedTool).toBeUndefined();
    expect(house.told(1).slice(0, 2)).toEqual(['user count', 'assistant six']);
    expect(lastUserOf(final[0])).toContain('final output "count"');
    expect(systemOf(final[0])).toContain('- be brief');
  });

  it('is asked for without a word of workflows and specialists, which cannot be used then', async () => {
    asked = 0;
    const house = open(script(right));
    const step = { id: 's', name: 's', description: 'd', depends_on: [] };
    const workflows = [{ id: 'w', name: 'w', description: 'what it does', steps: [step] }];
    const agents = [{ name: 'expert', description: 'knows' }];
    await house.run('count', { config: { ...config, workflows, agents } });
    const [first, final] = house.model.requests;
    expect(systemOf(first)).toMatch(/run_workflow[^]*transfer tool|transfer tool[^]*run_workflow/);
    expect(systemOf(final)).not.toMatch(/run_workflow|transfer tool/);
    expect(systemOf(final)).toContain('- be brief');
  });

  it.each([
    ['response_format is not supported', [text('{"n":6}'), done()]],
    ['this model knows no json_schema', [done(toolCall('c', 'final_output', { n: 6 }))]],
  ])('is asked for by a forced tool where the server says "%s"', async (message, answer) => {
    const { lines, final } = await runWith([new ModelFailure('refused', message)], answer);
    expect(final.map(({ responseFormat, forcedTool }) => [responseFormat?.name, forcedTool])).toEqual([
      ['count', undefined],
      [undefined, 'final_output'],
    ]);
    expect(final[1]?.tools).toMatchObject([{ name: 'final_output', parameters: schema }]);
    expect(lines).toEqual([...BEGIN, 'final_output {"n":6}', 'cost 0', 'completed']);
  });

  it('is given once, at the end: a message that comes while it is made is answered first', async () => {
    asked = 0;
    const gate = new Gate();
    const answers = [
      [gate, ...right],
      [text('{"n":7}'), done()],
    ];
    const house = open((request) =>
      isFinalAsked(request)
        ? (answers[asked++] ?? [new Error('asked too often')])
        : [text(lastUserOf(request) === 'count' ? 'six' : 'seven'), done()],
    );
    const started = await house.start('count', { config });
    await gate.reached;
    await house.start('one more', { session: started.session, onBusy: 'steer' });
    gate.open();
    await house.ended(started);
    const lines = publicLines(await temp.read(sessionStream(started.session)), started.run);
    expect(lines.filter((line) => line.startsWith('final_output'))).toEqual(['final_output {"n":7}']);
    expect(lines.slice(-4)).toEqual(['step 2', 'final_output {"n":7}', 'cost 0', 'completed']);
    expect(lines).toContain('response seven');
  });

  it('says which patterns it was not held against', async () => {
    const pattern = '^(?!x)(a+)+$';
    const free = { type: 'object', properties: { s: { type: 'string', pattern } } };
    asked = 0;
    const house = open(script([text(JSON.stringify({ s: `${'a'.repeat(100)}!` })), done()]));
    const { session, run } = await house.run('count', {
      config: { final_output: { name: 'n', schema: free } },
    });
    const lines = publicLines(await temp.read(sessionStream(session)), run);
    const at = lines.findIndex((line) => line.startsWith('warning'));
    expect(lines[at]).toContain('"unchecked_pattern"');
    expect(lines[at + 1]).toContain('final_output');
  });

  it('is repaired with what was wrong with it, twice at most', async () => {
    const { lines, final } = await runWith(wrong, [text('no idea'), done()], right);
    expect(lines.at(-3)).toBe('final_output {"n":6}');
    expect(final).toHaveLength(3);
    const told = final[2]?.messages.slice(-4).map(({ role, content }) => `${role} ${content}`);
    expect(told?.[0]).toBe('assistant {"n":"six"}');
    expect(told?.[1]).toMatch(/^user .*does not match[^]*\/n[^]*integer/);
    expect(told?.[2]).toBe('assistant no idea');
    expect(told?.[3]).toMatch(/^user .*does not match/);
  });

  it('that does not validate after two repairs ends the run, with the cost told before', async () => {
    const { lines, events } = await runWith(wrong, wrong, wrong);
    expect(lines.slice(4, 5)).toEqual(['cost 0']);
    expect(lines.at(-1)).toMatch(/^error final_output_invalid .*integer/);
    expect(lines).toHaveLength(6);
    expect(events.at(-1)?.data).toMatchObject({ code: 'final_output_invalid', retryable: true });
  });

  it('stands neither in the history nor in the context of the next run', async () => {
    const { house, started } = await runWith(wrong, right);
    expect(await house.history(started.session)).toEqual(['user_message count', 'agent_response six']);
    await house.run('again', { session: started.session, config: {} });
    const last = house.model.requests.length - 1;
    expect(house.told(last)).toEqual(['user count', 'assistant six', 'user again']);
    const loaded = open([[text('ok'), done()]]);
    await loaded.run('later', { session: started.session, config: {} });
    expect(loaded.told(0)).toEqual([
      'user count',
      'assistant six',
      'user again',
      'assistant six',
      'user later',
    ]);
  });

  it('counts with its tokens, and is no step', async () => {
    const { events } = await runWith(wrong, right);
    const turns = events.filter(({ type }) => type === 'model_turn_completed').map(({ data }) => data);
    expect(turns).toHaveLength(3);
    expect(turns).toMatchObject([{}, { final_output: true }, { final_output: true }]);
    const calls = events.filter(({ type }) => type === 'model_called').map(({ data }) => data);
    expect(calls).toMatchObject([{ kind: 'turn' }, { kind: 'final_output' }, { kind: 'final_output' }]);
    for (const call of calls) expect(call).toMatchObject({ input_tokens: 10, output_tokens: 5 });
    expect(events.filter(({ type }) => type === 'agent_step')).toHaveLength(1);
  });

  it('is cancelled with its run', async () => {
    asked = 0;
    const house = open(script(['hang']));
    const started = await house.start('count', { config });
    await house.model.asked(2);
    await house.cancel(started);
    await house.ended(started);
    const lines = publicLines(await temp.read(sessionStream(started.session)), started.run);
    expect(lines).toEqual([...BEGIN, 'cost 0', 'cancelled']);
  });

  it('is not asked for where the run ends for another reason', async () => {
    const house = new House(temp, `final ${++boots}`, {
      script: () => [done(toolCall('c', 'look'))],
      tools: [new LedgerTool('look')],
      maxSteps: 2,
    });
    const { session, run } = await house.run('count', { config });
    expect(house.model.requests.filter(isFinalAsked)).toEqual([]);
    expect(publicLines(await temp.read(sessionStream(session)), run).at(-1)).toMatch(/^error max_steps/);
  });

  it('is asked for even if the last step that is allowed was taken', async () => {
    asked = 0;
    const house = new House(temp, `final ${++boots}`, { script: script(right), maxSteps: 1 });
    const { session, run } = await house.run('count', { config });
    expect(publicLines(await temp.read(sessionStream(session)), run).at(-1)).toBe('completed');
  });

  it('fails with the model, where that is the reason', async () => {
    const { lines } = await runWith([new ModelFailure('refused', 'no credit')]);
    expect(lines.slice(4)).toEqual(['cost 0', 'error model_unavailable no credit']);
  });
});
