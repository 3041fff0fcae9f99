import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  refusal,
  say,
  type ScriptedModel,
  startScriptedModel,
} from '../../../test/support/scripted-model.js';
import type { ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';
import { quiet } from '../../../test/support/quiet.js';

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [] };
const never = new AbortController().signal;
const closing: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of closing.splice(0).reverse()) await one.close();
});

const clientOf = (baseUrl: string, more: object = {}) => {
  const client = new OpenAiModelClient({ baseUrl, apiKey: 'sk-test', ...more });
  closing.push(client);
  return client;
};

async function scripted(...script: Parameters<typeof startScriptedModel>): Promise<ScriptedModel> {
  const model = await startScriptedModel(...script);
  closing.push(model);
  return model;
}

async function textOf(client: OpenAiModelClient, pauseMs = 0): Promise<string> {
  let text = '';
  for await (const pieces of client.stream(request, never)) {
    if (pauseMs > 0) await quiet(pauseMs);
    for (const piece of pieces) if (piece.kind === 'text') text += piece.text;
  }
  return text;
}

describe('the connections to the model server', () => {
  it('are used again, after an answer as after a refusal', async () => {
    const model = await scripted([say('a'), refusal(429, 'later'), { steps: ['b'], done: false }, say('c')]);
    const client = clientOf(model.url);
    expect(await textOf(client)).toBe('a');
    await quiet(20);
    await expect(textOf(client)).rejects.toThrow('later');
    await quiet(20);
    expect(await textOf(client)).toBe('b');
    await quiet(20);
    expect(await textOf(client)).toBe('c');
    expect(new Set(model.requests.map(({ connection }) => connection)).size).toBe(1);
  });

  it('serve many turns at the same time', async () => {
    const model: ScriptedModel = await scripted(async (_, n) => {
      await model.requested(40);
      return say(`${n}`, `-${n}`);
    });
    const client = clientOf(model.url);
    const texts = await Promise.all(Array.from({ length: 40 }, () => textOf(client)));
    expect(texts.toSorted()).toEqual(texts.map((_, n) => `${n}-${n}`).toSorted());
    expect(model.maxConcurrent).toBe(40);
  });

  it('cost a turn nothing when its reader is slower than the time limit', async () => {
    const model = await scripted([say('a', { kind: 'delay', ms: 10 }, 'b', { kind: 'delay', ms: 10 }, 'c')]);
    expect(await textOf(clientOf(model.url, { timeoutMs: 600 }), 700)).toBe('abc');
  });

  it('are not kept from their end by a comment now and then', async () => {
    const alive = [
      { kind: 'comment', text: 'working' },
      { kind: 'delay', ms: 400 },
    ] as const;
    const model = await scripted([say('a', ...alive, ...alive, ...alive, 'b')]);
    expect(await textOf(clientOf(model.url, { timeoutMs: 1_000 }))).toBe('ab');
  });

  it('make the server wait while nobody reads', async () => {
    let sent = 0;
    const line = `data: {"choices":[{"index":0,"delta":{"content":"${'x'.repeat(60_000)}"}}]}\n\n`;
    const server = createServer((_, response) => {
      const pump = () => {
        while (!response.destroyed && sent < 60_000_000 && response.write(line)) sent += line.length;
        sent += line.length;
      };
      response.writeHead(200, { 'content-type': 'text/event-stream' }).on('drain', pump);
      pump();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push({
      close: async () => {
        server.closeAllConnections();
        server.close();
      },
    });
    const { port } = server.address() as AddressInfo;
    const stream = clientOf(`http://127.0.0.1:${port}/v1`).stream(request, never);
    await stream.next();
    await quiet(100);
    const before = sent;
    await quiet(200);
    expect(sent).toBe(before);
    expect(sent).toBeLessThan(20_000_000);
    for (let read = 0; read < 50; read++) await stream.next();
    await stream.return();
  });

  it('follow no redirect, which would carry the key elsewhere', async () => {
    const model = await scripted([
      { kind: 'status', status: 307, headers: { location: 'http://127.0.0.1:1/' } },
    ]);
    await expect(textOf(clientOf(model.url))).rejects.toMatchObject({ kind: 'refused' });
    expect(model.requests.length).toBe(1);
  });

  it('end with the client', async () => {
    const model = await scripted([say('a', { kind: 'hang' })]);
    const client = clientOf(model.url);
    const stream = client.stream(request, never);
    await stream.next();
    await client.close();
    await expect(stream.next()).rejects.toMatchObject({ kind: 'transient' });
    await model.until('the end', () => model.concurrent === 0);
  });
});
