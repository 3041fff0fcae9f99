import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EgressGuard, type PinnedAddress, Resolver, readSettings } from '#platform';
import {
  CallbackReceiver,
  type Reaction,
  answers,
  hangs,
  resets,
  streamsForEver,
} from '../../../../test/support/callback-receiver.js';
import { ManualClock } from '../../../../test/support/manual-clock.js';
import { HttpCallbackSender } from './http-callback-sender.js';

/** Names lead where the test says, each time anew. */
class Names extends Resolver {
  asked = 0;

  constructor(private readonly addressOf: (n: number) => string) {
    super();
  }

  override resolve(): Promise<readonly PinnedAddress[]> {
    return Promise.resolve([{ address: this.addressOf(this.asked++), family: 4 }]);
  }
}

describe('an attempt over HTTP', () => {
  const { egressAllow: allow } = readSettings({ EGRESS_ALLOW: '127.0.0.1' });
  let clock: ManualClock;
  let receiver: CallbackReceiver;
  let sender: HttpCallbackSender;
  const open = (names: Resolver = new Names(() => '127.0.0.1')): void => {
    sender = new HttpCallbackSender(new EgressGuard(allow, names), clock);
  };
  const send = (url = receiver.url, headers: Readonly<Record<string, string>> = {}) =>
    sender.send({ url, headers, body: '{"type":"agent_started"}' }, new AbortController().signal);
  const whenDoing = async (react: Reaction) => {
    receiver.react = react;
    return send();
  };
  beforeEach(async () => {
    clock = new ManualClock();
    receiver = await CallbackReceiver.start();
    open();
  });
  afterEach(async () => {
    await sender.close();
    await receiver.close();
  });

  it('sends the body as it is, over a connection that is used again', async () => {
    receiver.react = answers(200, {}, 'thanks');
    expect(await send()).toEqual({ kind: 'answered', status: 200, retryAfter: null, body: 'thanks' });
    await send();
    expect(receiver.received.map(({ body }) => body)).toEqual(Array(2).fill('{"type":"agent_started"}'));
  });

  it('does not follow a redirect', async () => {
    const location = { location: 'http://169.254.169.254/latest/meta-data/' };
    expect(await whenDoing(answers(302, location))).toMatchObject({ kind: 'answered', status: 302 });
    expect(receiver.received).toHaveLength(1);
  });

  it('keeps the first 2 KB of an answer of 100 MB, and reads little more', async () => {
    let written = 0;
    const outcome = await whenDoing((_, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(64 * 1024, 'x');
      const write = (): void => {
        while (written < 100 * 1024 * 1024 && !response.destroyed && response.write(piece))
          written += piece.length;
      };
      response.on('drain', write).on('error', () => undefined);
      write();
    });
    expect(outcome).toEqual({ kind: 'answered', status: 200, retryAfter: null, body: 'x'.repeat(2048) });
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  it('takes the status of an answer that never ends, after two seconds', async () => {
    const sent = whenDoing(streamsForEver);
    await clock.timerWithin(2000);
    clock.advance(2000);
    expect(await sent).toMatchObject({ kind: 'answered', status: 200 });
  });

  it('gives up on a receiver that hangs, after 15 seconds', async () => {
    const sent = whenDoing(hangs);
    while (receiver.received.length === 0) await new Promise(setImmediate);
    clock.advance(15_000);
    expect(await sent).toEqual({ kind: 'failed', reason: 'there was no answer within 15 s' });
  });

  it('says what went wrong in words without the URL', async () => {
    expect(await whenDoing(resets)).toMatchObject({ kind: 'failed', reason: /was (reset|closed)/ });
    const { port } = receiver;
    await receiver.close();
    expect(await send(`http://127.0.0.1:${port}/secret`)).toEqual({
      kind: 'failed',
      reason: 'the connection was refused',
    });
    receiver = await CallbackReceiver.start();
  });

  it('refuses what is not public, by address and by name, before a byte is sent', async () => {
    for (const url of ['http://169.254.169.254/', 'http://[::1]/', 'http://10.0.0.1/', 'http://localhost/'])
      expect(await send(url)).toMatchObject({ kind: 'failed', reason: /not a public/ });
    open(new Names(() => '10.0.0.1'));
    expect(await send('http://inside.example.org/')).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^inside.example.org is not a public address .*EGRESS_ALLOW/),
    });
  });

  it('connects to an address that was checked, also where the name changes in between', async () => {
    const names = new Names((n) => (n === 0 ? '127.0.0.1' : '10.0.0.1'));
    open(names);
    const outcome = await send(`http://changing.example.org:${receiver.port}/`);
    expect(outcome).toMatchObject({
      kind: 'failed',
      reason: expect.stringMatching(/^changing.example.org is not a public address .*EGRESS_ALLOW/),
    });
    expect(names.asked).toBe(2);
    expect(receiver.received).toEqual([]);
  });

  it('sends nothing over an open connection to a host that has become forbidden', async () => {
    let isPublic = true;
    open(new Names(() => (isPublic ? '127.0.0.1' : '10.0.0.1')));
    const url = `http://moving.example.org:${receiver.port}/`;
    expect(await send(url)).toMatchObject({ kind: 'answered' });
    isPublic = false;
    clock.advance(1000);
    expect(await send(url)).toMatchObject({ kind: 'failed' });
    expect(receiver.received).toHaveLength(1);
  });
});
