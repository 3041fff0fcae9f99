import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PROXIES, Proxy, isInstalled } from '../support/proxies.js';
import { expectKeptOpen } from '../support/quiet-stream.js';
import { Gate, before, say } from '../support/scripted-model.js';
import { ServiceClient } from '../support/service-client.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

let stage: Stage;
beforeAll(async () => {
  stage = await Stage.open();
});
afterAll(() => stage.close());

const MEGABYTE = 1024 * 1024;

describe.each(PROXIES)('through $command with the lines of docs/operations.md', (kind) => {
  if (!isInstalled(kind)) {
    process.stdout.write(`${kind.command} is not installed: its tests are skipped\n`);
    it.skip('is not installed', () => undefined);
    return;
  }
  let proxy: Proxy;
  let client: ServiceClient;
  beforeAll(async () => {
    proxy = await Proxy.start(kind, stage.service.port);
    client = new ServiceClient(() => proxy.origin, ADMIN_KEY);
  });
  afterAll(() => proxy.close());

  it('an event is there while the model still speaks, and a stream that was left is read on', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('slow'), say('First.', before(gate), ' Second.'));
    const first = await client.run({ message, streaming_tokens: true });
    await first.until(({ event }) => event.content === 'First.', 'the first piece');
    first.leave();
    const second = await client.follow(`/runs/${first.run}`, first.lastId);
    gate.open();
    await second.closed();
    expect(second.lines.at(-1)).toBe('agent_completed');
    const whole = await (await stage.client.follow(`/runs/${first.run}`)).closed();
    expect([...first.ids, ...second.ids]).toEqual(whole.ids);
  });

  it('a body of more than a megabyte reaches the service, which says what is too large', async () => {
    const text = 'x'.repeat(1.5 * MEGABYTE);
    const taken = await client.runToEnd(stage.message(text));
    expect(taken.status).toBe('completed');
    const refused = await client.post('/', { message: text + text });
    expect([refused.status, refused.json()['code']]).toEqual([413, 'payload_too_large']);
  });

  it('a stream that is quiet, and an answer that takes its time, live on', async () => {
    const gate = new Gate();
    const message = stage.book.on(stage.message('patience'), say(before(gate), 'Done.'));
    const answered = client.runToEnd(message);
    const { session } = await client.runToEnd(stage.message('quiet'));
    await expectKeptOpen(client, session);
    gate.open();
    expect((await answered).response).toBe('Done.');
  });
});
