import { expect, test } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { LogUnavailable } from '#event-log';
import { eventsOf, freshStream, idsOf } from './event-log/harness.js';
import { closing, IMPATIENT, idsIn, insist, openLog, until } from './esdb-harness.js';

/** The protocol server as a process of its own, killed and frozen under load. */

interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
}

async function startProcess(options: object): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['dist/test/support/esdb-server/main.js', JSON.stringify(options)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  closing(async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url, child };
}

const journal = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-esdb-'));
  closing(() => rmSync(folder, { recursive: true }));
  return join(folder, 'journal');
};

test('kill -9 under 200 appends: all unanswered ones unknown, each there once after the restart', async () => {
  const file = journal();
  const { url, child } = await startProcess({ journal: file });
  const log = await openLog({ url });
  const streams = Array.from({ length: 200 }, freshStream);
  const given = new Map<string, string[]>(streams.map((stream) => [stream, []]));
  let unknown = 0;
  const stop = new AbortController();
  const write = async (stream: string): Promise<void> => {
    for (let expected = -1; !stop.signal.aborted; expected += 2) {
      const batch = eventsOf(2);
      const result = await log.append(stream, batch, { expected }).catch(() => {
        unknown += 1;
        return insist(log, stream, batch, expected);
      });
      expect(result).toMatchObject({ kind: 'appended', first: expected + 1 });
      given.get(stream)!.push(...idsOf(batch));
    }
  };
  const writing = streams.map(write);
  await until('load', () => [...given.values()].every((ids) => ids.length > 2));
  child.kill('SIGKILL');
  await once(child, 'exit');
  await startProcess({ journal: file, port: Number(new URL(url).port) });
  await until('it goes on', () => unknown > 0);
  stop.abort();
  await Promise.all(writing);
  expect(unknown).toBeGreaterThan(100);
  for (const [stream, ids] of given) expect(await idsIn(log, stream)).toEqual(ids);
});

test('a frozen server: unknown after the own timer, then refused; thawed, it takes what it is given once', async () => {
  const { url, child } = await startProcess({});
  const log = await openLog({ url }, { ...IMPATIENT, readTimeoutMs: 500 });
  const stream = freshStream();
  const batch = eventsOf(2);
  child.kill('SIGSTOP');
  const since = Date.now();
  await expect(log.append(stream, batch, { expected: 'no_stream' })).rejects.toMatchObject({
    name: 'AppendOutcomeUnknown',
  });
  expect(Date.now() - since).toBeLessThan(IMPATIENT.appendTimeoutMs + 20_000);
  await expect(log.head()).rejects.toBeInstanceOf(LogUnavailable);
  await until('it is known', async () => !(await log.health()).ok);
  await expect(log.append(stream, batch, { expected: 'no_stream' })).rejects.toBeInstanceOf(LogUnavailable);
  child.kill('SIGCONT');
  await insist(log, stream, batch, 'no_stream');
  expect(await idsIn(log, stream)).toEqual(idsOf(batch));
});

test('SIGTERM under load ends like a crash', async () => {
  const file = journal();
  const { url, child } = await startProcess({ journal: file });
  const log = await openLog({ url });
  const stream = freshStream();
  const ids: string[] = [];
  const back = new AbortController();
  const restarting = (async () => {
    await once(child, 'exit');
    await startProcess({ journal: file, port: Number(new URL(url).port) });
    back.abort();
  })();
  for (let n = 0; !back.signal.aborted || n < 50; n++) {
    if (n === 20) child.kill('SIGTERM');
    const events = eventsOf(1);
    ids.push(...idsOf(events));
    await insist(log, stream, events, n - 1);
  }
  await restarting;
  expect(await idsIn(log, stream)).toEqual(ids);
});
