import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from '../support/scripted-model.js';
import { memoryOf, openFilesOf } from '../support/service-process.js';
import { MOST_GROWTH, megabytes } from './growth.js';
import { MemoryProbe } from './memory-probe.js';
import { Theatre } from './theatre.js';
import { type RowReport, spreadOf } from './verdict.js';

const MEGABYTE = 1024 * 1024;
/** What may be held more than before whoever is connected: runs, and what is kept ready for the next of them. */
const GROWTH = 20 * MEGABYTE;
/** What a client that never reads may hold more: a page of the log that it is sent, of 1 MiB, as rows, text and bytes. */
const CLIENT_GROWTH = 2 * MEGABYTE;
const LOOK_MS = 50;
/** So many healthy runs are between two looks at what is held: a look stops the service for a moment. */
const RUNS_BETWEEN = 50;

/** F14: so many clients of each kind at the same time, while others go on as if nothing were. */
export async function badClients(ofEachKind: number): Promise<RowReport> {
  const probe = new MemoryProbe();
  const theatre = await Theatre.open(probe.with({}));
  try {
    const { service, client, book } = theatre.stage;
    const large = 'x'.repeat(60_000);
    const session = await largeSession(theatre, large);
    const calm = {
      files: openFilesOf(service.pid),
      held: await probe.held(service),
      resident: memoryOf(service.pid),
    };
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
    const most = { held: 0, resident: 0 };
    const stalled = sockets.filter((_, n) => n % 7 === 0);
    // They are cut off when they have taken nothing for half a minute; until then everybody else is served.
    while (stalled.some((socket) => !socket.destroyed) || waits.length < 50) {
      const since = performance.now();
      await theatre.witness.run(`plain ${waits.length}`, { body: { streaming_tokens: true } });
      waits.push(performance.now() - since);
      most.resident = Math.max(most.resident, memoryOf(service.pid) - calm.resident);
      if (waits.length % RUNS_BETWEEN === 1)
        most.held = Math.max(most.held, (await probe.held(service)) - calm.held);
      await sleep(LOOK_MS);
    }
    for (const socket of sockets) socket.destroy();
    while (openFilesOf(service.pid) > calm.files + 5) await sleep(LOOK_MS);
    const left = (await probe.held(service)) - calm.held;
    const verdict = await theatre.audit();
    const bound = GROWTH + ofEachKind * CLIENT_GROWTH;
    verdict.require(most.held < bound, () => `${megabytes(most.held)} more were held`);
    verdict.require(most.resident < MOST_GROWTH, () => `the process grew by ${megabytes(most.resident)}`);
    verdict.require(left < GROWTH, () => `${megabytes(left)} more are held when all are gone`);
    const memory = `${megabytes(most.held)} more held, ${megabytes(left)} when they are gone (resident: ${megabytes(most.resident)})`;
    const spread = spreadOf(waits);
    const line = `F14 ${sockets.length} bad clients of 7 kinds: ${verdict.line}; ${memory}; ${waits.length} healthy runs, ${spread}`;
    const more = {
      [`memory with ${ofEachKind} clients that never read, and as many of 6 other kinds`]: memory,
      'healthy runs beside them': `${waits.length}, ${spread}`,
    };
    return { faults: sockets.length, verdict, line, measured: { more } };
  } finally {
    await theatre.close();
    probe.close();
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
