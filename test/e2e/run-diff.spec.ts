import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, call, say } from '../support/scripted-model.js';
import type { Ended, RunBody } from '../support/service-client.js';
import { Stage } from '../support/stage.js';

interface Turn {
  readonly response: string;
  readonly tool_calls: readonly { readonly tool: string; readonly input: unknown }[];
}

interface Both<T> {
  readonly a: T;
  readonly b: T;
}

interface Diff {
  readonly same_response: boolean;
  readonly same_tool_calls: boolean;
  readonly same_final_output: boolean;
  readonly turns: readonly (Both<Turn | null> & { readonly status: string })[];
  readonly status: Both<string>;
  readonly cost: Both<string>;
  readonly usage: Both<{ readonly input_tokens: number; readonly output_tokens: number }>;
  readonly ms: Both<number | null>;
  readonly final_output: Both<unknown>;
}

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

async function diffOf(a: string, b: string): Promise<Diff> {
  const answer = await stage.client.get(`/runs/${a}/diff/${b}`);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  return answer.json<Diff>();
}

/** A run with a call of a tool that is not there, then an answer. */
function looking(input: string, answer: string, body: Partial<RunBody> = {}): Promise<Ended> {
  const message = stage.book.on(
    stage.message('look'),
    say('Let me look.', ...call(0, 'c0', 'look', JSON.parse(input) as object)),
    say(answer),
  );
  return stage.client.runToEnd({ message, ...body });
}

const saying = (text: string): Turn => ({ response: text, tool_calls: [] });

describe('GET /runs/{a}/diff/{b}', () => {
  it('compares two runs turn by turn', async () => {
    const [one, two] = [await looking('{"a":1,"b":2}', 'Here.'), await looking('{"b":2,"a":1}', 'There.')];
    const diff = await diffOf(one.run_id, two.run_id);
    const looked = { response: 'Let me look.', tool_calls: [{ tool: 'look', input: { a: 1, b: 2 } }] };
    expect(diff.turns).toEqual([
      { status: 'same', a: looked, b: looked },
      { status: 'changed', a: saying('Here.'), b: saying('There.') },
    ]);
    expect([diff.same_response, diff.same_tool_calls, diff.same_final_output]).toEqual([false, true, true]);
    expect(diff.status).toEqual({ a: 'completed', b: 'completed' });
    expect(diff.final_output).toEqual({ a: null, b: null });
    for (const [side, { run_id }] of [
      ['a', one],
      ['b', two],
    ] as const) {
      const run = (await stage.client.get(`/runs/${run_id}`)).json<{
        cost: string;
        usage: object;
        started_at: string;
        ended_at: string;
      }>();
      expect([diff.cost[side], diff.usage[side]]).toEqual([run.cost, run.usage]);
      expect(diff.ms[side]).toBe(Date.parse(run.ended_at) - Date.parse(run.started_at));
    }
  });

  it('finds a run the same as itself, final output included', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const message = stage.book.on(stage.message('value'), say('One.'));
    // The last user message of the request for the output is not the run's.
    stage.book.find = () => [say('{"n":1}')];
    const { run_id } = await stage.client.runToEnd({ message, final_output: { name: 'value', schema } });
    stage.book.find = () => undefined;
    const diff = await diffOf(run_id, run_id);
    expect(diff.turns).toEqual([{ status: 'same', a: saying('One.'), b: saying('One.') }]);
    expect([diff.same_response, diff.same_tool_calls, diff.same_final_output]).toEqual([true, true, true]);
    expect(diff.final_output).toEqual({ a: { n: 1 }, b: { n: 1 } });
    const other = await looking('{}', 'One.');
    expect(await diffOf(run_id, other.run_id)).toMatchObject({
      same_final_output: false,
      same_response: true,
      same_tool_calls: false,
      turns: [{ status: 'changed' }, { status: 'only_b', a: null, b: saying('One.') }],
    });
  });

  it('tells what there is of a run that has not ended, or has not begun', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('slow'), say('So far', before(gate), ', and further.'));
    const stream = await stage.client.run({ message, streaming_tokens: true });
    await stream.until(({ event }) => event.content === 'So far');
    const queued = await stage.client.post(`/?session=${stream.session}`, { message: 'x', background: true });
    const waiting = String(queued.json()['run_id']);
    const run = stream.run;
    const diff = await diffOf(run, waiting);
    expect(diff).toMatchObject({
      turns: [{ status: 'only_a', a: saying('So far'), b: null }],
      status: { a: 'running', b: 'queued' },
      ms: { a: null, b: null },
      same_response: false,
      same_tool_calls: true,
    });
    gate.open();
    await stream.closed();
    expect((await diffOf(run, run)).turns).toMatchObject([{ a: saying('So far, and further.') }]);
  });

  it('counts of a retry its own turns alone', async () => {
    const message = stage.book.on(
      stage.message('fails'),
      say('Let me look.', ...call(0, 'c0', 'look', {})),
      (attempt) =>
        attempt === 0
          ? { kind: 'status', status: 400, body: '{"error":{"message":"no"}}' }
          : say('Found it.'),
    );
    const failed = await stage.client.runToEnd(message);
    const answer = await stage.client.post(
      `/runs/${failed.run_id}/retry`,
      {},
      {
        headers: { accept: 'application/json' },
      },
    );
    const retried = answer.json<Ended>();
    expect([failed.status, retried.status]).toEqual(['failed', 'completed']);
    expect(await diffOf(failed.run_id, retried.run_id)).toMatchObject({
      turns: [{ status: 'changed', a: { response: 'Let me look.' }, b: saying('Found it.') }],
      status: { a: 'failed', b: 'completed' },
    });
  });

  it('is whole where texts are large, streamed or not', async () => {
    const large = 'wörds '.repeat(200_000);
    const runs = await Promise.all(
      [true, false].map((streaming_tokens) => looking('{}', large, { streaming_tokens })),
    );
    const [a, b] = runs as [Ended, Ended];
    const diff = await diffOf(a.run_id, b.run_id);
    expect(diff.turns.map(({ status }) => status)).toEqual(['same', 'same']);
    expect([diff.turns[1]?.a?.response === large, diff.turns[1]?.b?.response === large]).toEqual([
      true,
      true,
    ]);
    expect(diff.same_response).toBe(true);
  });

  it('knows no run that is not there, of another project, or erased', async () => {
    const { run_id } = await looking('{}', 'mine');
    const { key } = (
      await stage.client.post('/api-keys', { name: 'k', scopes: ['run', 'read'], project: 'other' })
    ).json<{ key: string }>();
    const theirs = await stage.client.with(key).runToEnd('theirs');
    const gone = await stage.client.runToEnd(stage.message('gone'));
    await stage.client.call('DELETE', `/sessions/${gone.session}`);
    for (const bad of ['run_none', 'x', '%00', `${run_id}%00`, `${run_id}0`, theirs.run_id, gone.run_id])
      for (const path of [`/runs/${run_id}/diff/${bad}`, `/runs/${bad}/diff/${run_id}`])
        expect([path, (await stage.client.get(path)).status]).toEqual([path, 404]);
    expect((await stage.client.post(`/runs/${run_id}/diff/${run_id}`)).status).toBe(405);
  });

  it('takes the scope read, and a token for runs of its session alone', async () => {
    const [{ run_id, session }, other] = [await looking('{}', 'a'), await looking('{}', 'a')];
    const keyed = await stage.client.post('/api-keys', { name: 'k', scopes: ['run'] });
    const runner = stage.client.with(String(keyed.json()['key']));
    expect((await runner.get(`/runs/${run_id}/diff/${run_id}`)).status).toBe(403);
    const made = await stage.client.post('/tokens', { scopes: ['read'], expires_s: 60, session });
    const token = stage.client.with(String(made.json()['token']));
    expect((await token.get(`/runs/${run_id}/diff/${run_id}`)).status).toBe(200);
    for (const [a, b] of [
      [run_id, other.run_id],
      [other.run_id, run_id],
      [other.run_id, other.run_id],
      [run_id, 'x'],
    ])
      expect([a, b, (await token.get(`/runs/${a}/diff/${b}`)).status]).toEqual([a, b, 404]);
  });
});
