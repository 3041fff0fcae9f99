import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Receipt, judge, parseKey, parseNote, parseReceipt, toHex } from '#proof';
import { CallbackReceiver, answers } from '../support/callback-receiver.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const ORIGIN = 'example.com/annals-test';

let stage: Stage;
let receiver: CallbackReceiver;
beforeAll(async () => {
  receiver = await CallbackReceiver.start();
  stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1', ANNALS_ORIGIN: ORIGIN } });
});
afterAll(async () => {
  await stage.close();
  await receiver.close();
});

const noteOf = async (run: string) => stage.client.get(`/runs/${run}/receipt`);

function readReceipt(note: string): Receipt {
  const { text } = parseNote(note)!;
  return parseReceipt(text)!;
}

/** The hash of an event, from its line of the log alone (docs/log-format.md). */
async function hashAt(session: string, revision: number): Promise<string> {
  const line = (await stage.client.get(`/sessions/${session}/log/${revision}`)).json<
    Record<string, string>
  >();
  const { id, type, schemaVersion, time, project, actor, causationId = '', correlationId = '' } = line;
  const { commitment, prev } = line;
  const place = prev === '' ? '' : String(revision);
  const fields = [
    '1',
    `session-${session}`,
    place,
    id,
    type,
    String(schemaVersion),
    String(time),
    project,
    actor,
  ];
  const text = JSON.stringify([...fields, causationId, correlationId, commitment, prev]);
  return createHash('sha256').update(text).digest('hex');
}

/** The key that signs, as the stopped service's log has it. */
function keyOnLog(folder: string): string {
  const db = new DatabaseSync(join(folder, 'log', 'log.db'), { readOnly: true });
  const row = db
    .prepare("SELECT data FROM events WHERE type = 'log_key_added' AND data LIKE ?")
    .get(`%"${ORIGIN}"%`) as { data: string };
  db.close();
  return (JSON.parse(row.data) as { key: string }).key;
}

it('the end of a run is signed: in the answer, to the callback, and whenever it is asked for', async () => {
  let failed = 0;
  receiver.react = (request, response, n) =>
    answers(request.body.includes('agent_completed') && failed++ === 0 ? 500 : 204)(request, response, n);
  const message = stage.book.on(stage.message('signed'), say('done'));
  const answer = await stage.client.post(
    '/',
    { message, callback: { url: receiver.url } },
    { headers: { accept: 'application/json' } },
  );
  const { run_id: run, session } = answer.json<{ run_id: string; session: string }>();
  const header = String(answer.headers['annals-receipt']);
  const asked = await noteOf(run);
  expect(asked.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(Buffer.from(header, 'base64').toString()).toBe(asked.text);
  const receipt = readReceipt(asked.text);
  const { last_event_id: last } = (await stage.client.get(`/runs/${run}`)).json<{ last_event_id: string }>();
  expect(receipt).toMatchObject({
    origin: ORIGIN,
    stream: `session-${session}`,
    run,
    revision: Number(last),
  });
  expect(toHex(receipt.hash)).toBe(await hashAt(session, receipt.revision));
  // Each attempt of the last event has it, and no other event.
  await until(() => receiver.received.filter(({ body }) => body.includes('agent_completed')).length === 2);
  for (const { body, headers } of receiver.received)
    expect(headers['annals-receipt']).toBe(body.includes('agent_completed') ? header : undefined);
});

it('is the same after a kill, and signed by the key that the log names', async () => {
  const { run_id: run } = await stage.client.runToEnd({
    message: stage.book.on(stage.message('same'), say('x')),
  });
  const before = (await noteOf(run)).text;
  await stage.service.kill();
  const vkey = keyOnLog(stage.service.dataDir);
  await stage.service.launch();
  expect((await noteOf(run)).text).toBe(before);
  const [name] = /^— (\S+) /m.exec(before)!.slice(1);
  expect(name).toBe(ORIGIN);
  const note = parseNote(before)!;
  expect(note.signatures).toHaveLength(1);
  const key = parseKey(vkey)!;
  expect(key.name).toBe(ORIGIN);
  expect(judge(note, key)).toEqual({ is: 'good', time: 0 });
  expect(judge({ ...note, text: note.text.replace('receipt', 'Receipt') }, key)).toBe('wrong');
});

it('there is none before the end, after an erasure, or for others', async () => {
  const gate = new Gate();
  const waiting = stage.book.on(stage.message('waits'), say('first ', before(gate), 'then'));
  const open = await stage.client.run({ message: waiting, streaming_tokens: true });
  await open.untilType('agent_response');
  expect((await noteOf(open.run)).status).toBe(409);
  gate.open();
  await until(async () => (await noteOf(open.run)).status === 200);
  const { run_id: run, session } = await stage.client.runToEnd({
    message: stage.book.on(stage.message('gone'), say('x')),
  });
  const other = (
    await stage.client.post('/api-keys', { name: 'o', scopes: ['read'], project: 'other' })
  ).json<{
    key: string;
  }>();
  expect((await stage.client.with(other.key).get(`/runs/${run}/receipt`)).status).toBe(404);
  await stage.client.call('DELETE', `/sessions/${session}`);
  expect((await noteOf(run)).status).toBe(404);
  expect((await noteOf('run_none')).status).toBe(404);
});

it('there is none on the refusal of a run whose session was erased while its answer was waited for', async () => {
  const gate = new Gate();
  const message = stage.book.on(stage.message('erased'), say('first ', before(gate), 'then'));
  const open = await stage.client.run({ message, streaming_tokens: true });
  await open.untilType('agent_response');
  const headers = { accept: 'application/json' };
  const path = `/?session=${open.session}`;
  const queued = stage.client.post(path, { message: stage.message('queued') }, { headers });
  await until(async () => (await runsOf(open.session)).length === 2);
  await stage.client.call('DELETE', `/sessions/${open.session}`);
  const answer = await queued;
  // Whether the history was read before it went is chance.
  expect(answer.headers['annals-receipt'] !== undefined).toBe(answer.status === 200);
});

const runsOf = async (session: string) =>
  (await stage.client.get(`/runs?session=${session}`)).json<{ items: object[] }>().items;
