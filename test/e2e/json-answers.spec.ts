import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Gate, before, say } from '../support/scripted-model.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => void (stage = await Stage.open()));
afterAll(() => stage.close());

const JSON_ONLY = { headers: { accept: 'application/json' } };

describe('the JSON answer of a run', () => {
  it('is the same bytes as ever, however long the response and in whatever pieces it came', async () => {
    const { client, book } = stage;
    const words = Array.from({ length: 400 }, (_, n) => `${n} "päper" \\ 𝄞\u2028 ${'x'.repeat(200)}`);
    for (const pieces of [['short'], [words.join('')], words]) {
      for (const streaming_tokens of [true, false]) {
        const message = book.on(stage.message('json'), say(...pieces));
        const answer = await client.post('/', { message, streaming_tokens }, JSON_ONLY);
        const told = answer.json<{ session: string; run_id: string; usage: object }>();
        expect(answer.status).toBe(200);
        const response = pieces.join('');
        const expected = {
          session: told.session,
          run_id: told.run_id,
          status: 'completed',
          response,
          cost: '0',
          usage: told.usage,
          warnings: [],
          messages: [
            { type: 'user_message', content: message },
            { type: 'agent_response', content: response },
          ],
          task_ids: [],
        };
        // Compared here: what differs would be printed.
        expect(answer.text === JSON.stringify(expected)).toBe(true);
      }
    }
  });

  it('has its head after ten seconds, before there is more to say', async () => {
    const { client, book, service } = stage;
    const gate = new Gate();
    const message = book.on(stage.message('late'), say('first ', before(gate), 'then'));
    const answer = await fetch(service.origin, {
      method: 'POST',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: `Bearer ${ADMIN_KEY}`,
      },
      body: JSON.stringify({ message }),
    });
    expect([answer.status, answer.headers.get('annals-receipt')]).toEqual([200, null]);
    const run = answer.headers.get('content-location') ?? '';
    expect((await client.get(run)).json()).toMatchObject({ status: 'running' });
    gate.open();
    const told = JSON.parse(await answer.text()) as { response: string; run_id: string; messages: object[] };
    expect([`/runs/${told.run_id}`, told.response, told.messages.length]).toEqual([run, 'first then', 2]);
    expect((await client.get(`${run}/receipt`)).status).toBe(200);
  });

  it('holds the value that was asked for, and the failure of a run that failed', async () => {
    const { client, book } = stage;
    const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
    const message = book.on(stage.message('final'), say('six'));
    // The last user message of the request for the output is not the run's.
    book.find = () => [say('{"n": 6.0}')];
    const final_output = { name: 'count', schema };
    const answer = await client.post('/', { message, final_output }, JSON_ONLY);
    expect(answer.text).toMatch(
      /"response":"six","final_output":\{"n":6\},"cost":"0","usage":\{[^}]*\},"warnings":\[\],"messages":\[/,
    );
    const refused = book.on(stage.message('refused'), {
      kind: 'status',
      status: 400,
      body: '{"error":{"message":"no"}}',
    });
    const failed = await client.post('/', { message: refused }, JSON_ONLY);
    expect(failed.text).toMatch(
      /"status":"failed","response":"","cost":"0","usage":\{[^}]*\},"warnings":\[\],"error":\{"code":"model_unavailable","message":".*","retryable":(true|false)\},"messages":\[/,
    );
  });
});
