import { afterEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import type { ModelRequest } from '#agent';
import { OpenAiModelClient } from './openai-model-client.js';

const request: ModelRequest = { model: 'm', messages: [{ role: 'user', content: 'hello' }], tools: [] };
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A client of a server that answers so; what it was asked. */
async function served(answer: (request: IncomingMessage, response: ServerResponse, n: number) => void) {
  const asked: IncomingMessage[] = [];
  const server = createServer((incoming, response) => {
    asked.push(incoming);
    incoming.resume().on('end', () => answer(incoming, response, asked.length));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = new OpenAiModelClient({ baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: '' });
  closing.push(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const ask = async () => {
    let text = '';
    for await (const pieces of client.stream(request, new AbortController().signal))
      for (const piece of pieces) if (piece.kind === 'text') text += piece.text;
    return text;
  };
  return { ask, asked };
}

const text = 'Größe, '.repeat(2_000);
const stream = Array.from({ length: 20 }, () => `data: {"choices":[{"delta":{"content":"${text}"}}]}\n\n`)
  .concat('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
  .join('');
const said = text.repeat(20);

describe('an answer that comes packed', () => {
  it.each<[string, string, (bytes: string) => Buffer]>([
    ['gzip', 'gzip', gzipSync],
    ['deflate', 'deflate', deflateSync],
    ['deflate without its envelope', 'deflate', deflateRawSync],
    ['br', 'br', brotliCompressSync],
    ['zstd', 'zstd', zstdCompressSync],
    ['two packings', 'gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
    ['gzip that nobody names', '', gzipSync],
    ['no packing by the name identity', 'identity', (bytes) => Buffer.from(bytes)],
    ['no packing by a name of its own', 'utf-8', (bytes) => Buffer.from(bytes)],
  ])('is unpacked: %s', async (_, encoding, pack) => {
    const { ask, asked } = await served((_, response) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        ...(encoding === '' ? {} : { 'content-encoding': encoding }),
      });
      const bytes = pack(stream);
      const half = Math.floor(bytes.length / 2);
      response.write(bytes.subarray(0, half), () => response.end(bytes.subarray(half)));
    });
    expect(await ask()).toBe(said);
    expect(asked[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('tells what it says of an error', async () => {
    const { ask } = await served((_, response) => {
      response
        .writeHead(400, { 'content-encoding': 'gzip' })
        .end(gzipSync('{"error":{"message":"no such model"}}'));
    });
    await expect(ask()).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('no such model'),
    });
  });

  it('is a transient failure where it is not what it says, is cut, or never ends', async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, ' '));
    for (const bytes of [Buffer.from('not packed at all'), gzipSync(stream).subarray(0, 500), bomb]) {
      const { ask } = await served((_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes);
      });
      await expect(ask()).rejects.toMatchObject({ kind: 'transient' });
    }
  });

  it.each(['application/json', 'text/plain', 'application/x-ndjson', 'application/octet-stream', ''])(
    'is read whatever its content type: %j',
    async (type) => {
      const { ask, asked } = await served((_, response) => {
        if (type !== '') response.setHeader('content-type', type);
        response.end(stream);
      });
      expect(await ask()).toBe(said);
      expect(asked.length).toBe(1);
    },
  );
});

describe('a kept connection that the server closes as the request arrives', () => {
  it('costs nothing: it is asked again at once, on a new one', async () => {
    const { ask, asked } = await served((incoming, response, n) => {
      if (n === 2) return incoming.socket.destroy();
      response.end(stream);
    });
    await ask();
    expect(await ask()).toBe(said);
    expect(asked.length).toBe(3);
    expect(asked[2]?.socket.remotePort).not.toBe(asked[1]?.socket.remotePort);
  });

  it('is a failure the second time', async () => {
    const { ask, asked } = await served((incoming) => incoming.socket.destroy());
    await expect(ask()).rejects.toMatchObject({ kind: 'transient' });
    expect(asked.length).toBe(2);
  });
});
