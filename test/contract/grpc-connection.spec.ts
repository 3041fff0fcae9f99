import { expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { type CallError, CODE } from '../../libs/eventstoredb/src/grpc/call-error.js';
import { framed } from '../../libs/eventstoredb/src/grpc/frames.js';
import type { GrpcCall } from '../../libs/eventstoredb/src/grpc/grpc-call.js';
import {
  GrpcConnection,
  type GrpcConnectionOptions,
} from '../../libs/eventstoredb/src/grpc/grpc-connection.js';
import { closing, until } from './esdb-harness.js';

/** The transport against a server that is not of this project: the one of grpc-js. */

const require = createRequire(createRequire(import.meta.url).resolve('@eventstore/db-client'));
const grpc = require('@grpc/grpc-js') as typeof import('@grpc/grpc-js');
const asItIs = (bytes: Buffer): Buffer => bytes;
const method = (name: string, isRequestStream: boolean) => ({
  path: `/test.Service/${name}`,
  requestStream: isRequestStream,
  responseStream: true,
  requestSerialize: asItIs,
  requestDeserialize: asItIs,
  responseSerialize: asItIs,
  responseDeserialize: asItIs,
});

type EchoCall = import('@grpc/grpc-js').ServerDuplexStream<Buffer, Buffer>;
type CountCall = import('@grpc/grpc-js').ServerWritableStream<Buffer, Buffer>;

/** `Echo` sends back what comes until it is told otherwise; `Count` sends as many messages as it is told. */
async function startServer(): Promise<{ port: number; metadata: () => Record<string, unknown> }> {
  const server = new grpc.Server();
  let metadata: Record<string, unknown> = {};
  server.addService(
    { echo: method('Echo', true), count: method('Count', false) },
    {
      echo: (call: EchoCall) => {
        metadata = call.metadata.getMap();
        call.on('data', (message: Buffer) => {
          const text = message.toString();
          if (text === 'end') call.end();
          else if (text === 'fail') {
            const headers = new grpc.Metadata();
            headers.set('exception', 'not-leader');
            headers.set('leader-endpoint-host', 'other');
            headers.set('leader-endpoint-port', '2113');
            call.emit('error', { code: 5, details: 'nöt here: 100%', metadata: headers });
          } else if (text !== 'silence') call.write(message);
        });
        call.on('end', () => call.end());
      },
      count: (call: CountCall) => {
        for (let n = 0; n < Number(call.request.toString()); n++) call.write(Buffer.alloc(n, n % 256));
        call.end();
      },
    },
  );
  closing(() => server.forceShutdown());
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { port, metadata: () => metadata };
}

function connectTo(port: number, options: Partial<GrpcConnectionOptions> = {}): GrpcConnection {
  const connection = new GrpcConnection({
    endpoint: { address: '127.0.0.1', port },
    tls: null,
    headers: { 'connection-name': 'spec' },
    keepAliveIntervalMs: 60_000,
    keepAliveTimeoutMs: 60_000,
    ...options,
  });
  closing(() => connection.close());
  return connection;
}

/** A call, what came of it, and how it ended. */
function begin(connection: GrpcConnection, path: string, deadlineMs = Infinity) {
  const heard: Buffer[] = [];
  let call!: GrpcCall;
  const ended = new Promise<CallError | null>((resolve) => {
    call = connection.call(
      `/test.Service/${path}`,
      deadlineMs,
      {},
      { messages: (messages) => void heard.push(...messages), ended: resolve },
    );
  });
  return { call, heard, ended, say: (text: string) => call.write(framed(Buffer.from(text))) };
}

test('messages go and come, many at a time and large ones, in order', async () => {
  const server = await startServer();
  const { call, heard, ended } = begin(connectTo(server.port), 'Echo');
  const messages = Array.from({ length: 200 }, (_, n) => Buffer.alloc(n * 97, n));
  messages.push(Buffer.alloc(3_000_000, 7));
  call.write(Buffer.concat(messages.map(framed)));
  call.halfClose();
  expect(await ended).toBeNull();
  expect(Buffer.compare(Buffer.concat(heard), Buffer.concat(messages))).toBe(0);
  expect(heard).toHaveLength(messages.length);
  expect(server.metadata()).toMatchObject({ 'connection-name': 'spec' });
});

test('a server that answers many times and ends', async () => {
  const server = await startServer();
  const { call, heard, ended, say } = begin(connectTo(server.port), 'Count', 10_000);
  say('1000');
  call.halfClose();
  expect(await ended).toBeNull();
  expect(heard.map((message) => message.length)).toEqual(Array.from({ length: 1_000 }, (_, n) => n));
});

test('a failure has its code, its text and who leads; the connection stays usable', async () => {
  const server = await startServer();
  const connection = connectTo(server.port);
  const { say, heard, ended } = begin(connection, 'Echo');
  say('before');
  say('fail');
  expect(await ended).toMatchObject({
    code: 5,
    message: 'nöt here: 100%',
    exception: 'not-leader',
    leader: { address: 'other', port: 2113 },
  });
  expect(String(heard)).toBe('before');
  const next = begin(connection, 'Echo');
  next.say('end');
  expect(await next.ended).toBeNull();
});

test('a method that is not there, a server that is not there', async () => {
  const server = await startServer();
  expect(await begin(connectTo(server.port), 'Nothing').ended).toMatchObject({ code: CODE.unimplemented });
  const connection = connectTo(1);
  expect(await begin(connection, 'Echo').ended).toMatchObject({
    code: CODE.unavailable,
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(connection.isUsable).toBe(false);
});

test('silence ends at the deadline, on this side; nothing is heard after it', async () => {
  const server = await startServer();
  const { say, heard, ended } = begin(connectTo(server.port), 'Echo', 100);
  say('silence');
  expect(await ended).toMatchObject({ code: CODE.deadlineExceeded });
  say('too late');
  expect(heard).toEqual([]);
});

test('a call that is given up hears nothing more, and its neighbour goes on', async () => {
  const server = await startServer();
  const connection = connectTo(server.port);
  const given = begin(connection, 'Echo');
  const neighbour = begin(connection, 'Echo');
  given.say('one');
  await until('it came', () => given.heard.length === 1);
  given.call.cancel();
  given.say('two');
  neighbour.say('three');
  neighbour.call.halfClose();
  expect(await neighbour.ended).toBeNull();
  expect(String(neighbour.heard)).toBe('three');
  expect(given.heard).toHaveLength(1);
});

test('the end of the connection ends its calls: cut by the other side, or closed on this one', async () => {
  const sockets: { destroy(): void }[] = [];
  const tcp = createTcpServer((socket) => {
    sockets.push(socket);
    // Takes everything, says nothing.
    socket.on('error', () => undefined).resume();
  });
  closing(() => {
    for (const socket of sockets) socket.destroy();
    tcp.close();
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  const cut = begin(connectTo(port), 'Echo');
  await until('it is there', () => sockets.length === 1);
  sockets[0]!.destroy();
  expect(await cut.ended).toMatchObject({ code: CODE.unavailable });
  const connection = connectTo(port);
  const closed = begin(connection, 'Echo');
  connection.close();
  expect(await closed.ended).toMatchObject({ code: CODE.cancelled });
  const mute = begin(connectTo(port, { keepAliveIntervalMs: 20, keepAliveTimeoutMs: 20 }), 'Echo');
  expect(await mute.ended).toMatchObject({
    code: CODE.unavailable,
    message: expect.stringContaining('sign of life'),
  });
});
