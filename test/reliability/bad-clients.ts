import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../support/scripted-model.js';
import { memoryOf, openFilesOf } from '../support/service-process.js';
import { Theatre } from './theatre.js';
import { type RowReport, spreadOf } from './verdict.js';

const MEGABYTE = 1024 * 1024;
/** What the heap may grow by before its garbage is worth collecting. */
const HEAP_GROWTH = 150 * MEGABYTE;
/** What a client that never reads may cost: a page of the log that it is sent, of 1 MiB, as rows, text and bytes. */
const CLIENT_GROWTH = 4 * MEGABYTE;
const LOOK_MS = 50;

/** F14: so many clients of each kind at the same time, while others go on as if nothing were. */
export async function badClients(ofEachKind: number): Promise<RowReport> {
  const theatre = await Theatre.open();
  try {
    const { service, client, book } = theatre.stage;
    const large = 'x'.repeat(60_000);
    const session = await largeSession(theatre, large);
    const calm = { files: openFilesOf(service.pid), bytes: memoryOf(service.pid) };
    const sockets: Socket[] = [];
    const body = JSON.stringify({ message: book.on('a bad client', say('hello')), background: true });
    const head = client.head('POST', '/', 'Content-Type: application/json', `Content-Length: ${body.length}`);
    const events = `${client.head('GET', `/sessions/${session}/events`)}\r\n\r\n`;
    const whole = `${head}\r\n\r\n${body}`;
    for (let n = 0; n < ofEachKind; n++) {
      sockets.push(neverReads(client.socket(), events));
      sockets.push(writes(client.socket(), `${head}\r\n\r\n${body.slice(0, 5)}`));
      sockets.push(writes(client.socket(), head.slice(0, 20)));
      sockets.push(writes(client.socket(), ''));
      sockets.push(halfCloses(client.socket(), whole));
      sockets.push(resets(client.socket(), whole.slice(0, Math.ceil((whole.length * (n + 1)) / ofEachKind))));
      sockets.push(resetsLater(client.socket(), events));
    }
    const waits: number[] = [];
    let most = 0;
    const stalled = sockets.filter((_, n) => n % 7 === 0);
    // They are cut off when they have taken nothing for half a minute; until then everybody else is served.
    while (stalled.some((socket) => !socket.destroyed) || waits.length < 50) {
      const since = performance.now();
      await theatre.witness.run(`plain ${waits.length}`, { body: { streaming_tokens: true } });
      waits.push(performance.now() - since);
      most = Math.max(most, memoryOf(service.pid) - calm.bytes);
      await sleep(LOOK_MS);
    }
    for (const socket of sockets) socket.destroy();
    while (openFilesOf(service.pid) > calm.files + 5) await sleep(LOOK_MS);
    const verdict = await theatre.audit();
    verdict.require(
      most < HEAP_GROWTH + ofEachKind * CLIENT_GROWTH,
      () => `memory grew by ${Math.round(most / MEGABYTE)} MB`,
    );
    const line = `F14 ${sockets.length} bad clients of 7 kinds: ${verdict.line}; memory grew by ${Math.round(most / MEGABYTE)} MB; ${waits.length} healthy runs, ${spreadOf(waits)}`;
    const more = {
      [`memory with ${ofEachKind} clients that never read, and as many of 6 other kinds`]: `${Math.round(most / MEGABYTE)} MB more`,
      'healthy runs beside them': `${waits.length}, ${spreadOf(waits)}`,
    };
    return { faults: sockets.length, verdict, line, measured: { more } };
  } finally {
    await theatre.close();
  }
}

/** A session whose events are more than the kernel keeps for a client that does not read. */
async function largeSession({ stage }: Theatre, text: string): Promise<string> {
  const { client, book } = stage;
  let session: string | undefined;
  for (let n = 0; n < 200; n++) {
    const message = book.on(`huge answer ${n}`, say(text));
    const run = await client.run(message, session === undefined ? {} : { session });
    await run.closed();
    session = run.session;
  }
  return session ?? '';
}

function quiet(socket: Socket): Socket {
  return socket.on('error', () => undefined);
}

function writes(socket: Socket, text: string): Socket {
  quiet(socket).on('data', () => undefined);
  if (text !== '') socket.write(text);
  return socket;
}

/** It sees that it is cut off when it looks for what is left. */
function neverReads(socket: Socket, text: string): Socket {
  quiet(socket).pause();
  socket.write(text);
  const look = setInterval(() => {
    if (socket.destroyed) clearInterval(look);
    else socket.write('\n');
  }, 1_000);
  socket.once('close', () => clearInterval(look));
  return socket;
}

function halfCloses(socket: Socket, text: string): Socket {
  quiet(socket).on('data', () => undefined);
  socket.end(text);
  return socket;
}

function resets(socket: Socket, text: string): Socket {
  quiet(socket).write(text, () => socket.resetAndDestroy());
  return socket;
}

function resetsLater(socket: Socket, text: string): Socket {
  quiet(socket).once('data', () => socket.resetAndDestroy());
  socket.write(text);
  return socket;
}
