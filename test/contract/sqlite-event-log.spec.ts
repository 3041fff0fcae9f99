import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type ContentKeys, MemoryContentKeys, SqliteEventLog } from '#event-log';
import { SilentLogger } from '#platform';
import { eventLogContract } from './event-log.contract.js';
import type { Acknowledged, DoomedWriter, LogHarness } from './event-log/harness.js';

const open = (folder: string, keys: ContentKeys) =>
  SqliteEventLog.open({ folder, keys, logger: new SilentLogger(), reserveBytes: 1024 * 1024 });

async function makeHarness(): Promise<LogHarness> {
  const folder = await mkdtemp(join(tmpdir(), 'annals-log-'));
  const keys = new MemoryContentKeys();
  let log = await open(folder, keys);
  return {
    keys,
    get log() {
      return log;
    },
    reopen: async () => {
      await log.close();
      log = await open(folder, keys);
      return log;
    },
    startWriter: (prefix) => startWriter(folder, prefix),
    dispose: async () => {
      await log.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function startWriter(folder: string, prefix: string): Promise<DoomedWriter> {
  const child = spawn(process.execPath, ['dist/test/support/doomed-writer.js', folder, prefix], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const acknowledged: Acknowledged[] = [];
  let wake = () => {};
  createInterface({ input: child.stdout }).on('line', (line) => {
    // A line that the kill has cut was not heard.
    if (line.endsWith('}')) acknowledged.push(JSON.parse(line) as Acknowledged);
    wake();
  });
  return {
    acknowledged,
    acknowledgedMoreThan: async (count) => {
      while (acknowledged.length <= count) await new Promise<void>((resolve) => (wake = resolve));
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

eventLogContract('SqliteEventLog', makeHarness);
