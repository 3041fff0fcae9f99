import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Gate, before, say, startScriptedModel } from '../support/scripted-model.js';
import { ScriptBook } from '../support/script-book.js';
import { ServiceProcess } from '../support/service-process.js';
import { checkConnections, checkWishes } from './check-clients.js';
import { checkSessions } from './check-log.js';
import { StoredContents, readLog } from './evidence.js';
import { type RowReport, Verdict } from './verdict.js';
import { Witness } from './witness.js';

/** Room for the log, its reserve of 16 MB, and as much again before the reserve is made. */
const DISK_MB = 48;
/** What a cycle adds to the log, with room to spare: what is left must not fall below what the reserve needs. */
const CYCLE_MB = 1;
const LOOK_MS = 50;
/** Text that the disk has no room for, in pieces. */
const PIECE = 'x'.repeat(8_000);

/** F7: the disk of the log is full in the middle of a run, and is freed, again and again. Needs root for the small disk. */
export async function fullDisk(cycles: number): Promise<RowReport> {
  const book = new ScriptBook();
  const model = await startScriptedModel(book.script);
  const service = await ServiceProcess.prepare({ env: { OPENAI_BASE_URL: model.url } });
  const disk = join(service.dataDir, 'log');
  mkdirSync(disk, { recursive: true });
  const size = `${DISK_MB + cycles * CYCLE_MB}m`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'tmpfs', disk]);
  try {
    await service.launch();
    const witness = new Witness(service);
    const verdict = new Verdict();
    let accepted = 0;
    for (let n = 0; n < cycles; n++)
      accepted += await fillAndFree({ service, book, witness, disk, n }, verdict);
    await service.kill('SIGTERM');
    const log = await readLog(service.dataDir);
    const contents = await StoredContents.open(service.dataDir);
    checkSessions(log, verdict);
    checkConnections(witness.connections, log, contents, verdict);
    checkWishes(witness.wishes, log, contents, verdict);
    const runs = log.filter(({ type }) => type === 'run_requested').length;
    verdict.require(runs === accepted, () => `${accepted} runs were accepted, ${runs} are on the log`);
    return { faults: cycles, verdict, line: `F7 ${cycles} times a full disk: ${verdict.line}` };
  } finally {
    await service.kill('SIGKILL');
    execFileSync('umount', ['-l', disk]);
    await service.dispose();
    await model.close();
  }
}

interface Cycle {
  readonly service: ServiceProcess;
  readonly book: ScriptBook;
  readonly witness: Witness;
  readonly disk: string;
  readonly n: number;
}

/** How many runs were accepted. */
async function fillAndFree({ service, book, witness, disk, n }: Cycle, verdict: Verdict): Promise<number> {
  const client = service.client();
  const gate = new Gate();
  const message = book.on(
    `run ${n}`,
    say('begun ', before(gate), ...Array.from({ length: 50 }, () => PIECE), 'done'),
  );
  const wish = witness.run(message, { body: { streaming_tokens: true } });
  await gate.reached;
  const filler = join(disk, 'filler');
  fill(filler, disk);
  // What the service knows of its disk is some seconds old.
  let refused = await client.post('/', { message: `refused ${n}`, background: true });
  let accepted = 1;
  while (refused.status === 202) {
    accepted += 1;
    await sleep(LOOK_MS);
    refused = await client.post('/', { message: `refused ${n}`, background: true });
  }
  const { code } = refused.json<{ code: string }>();
  verdict.require(refused.status === 503 && code === 'log_unavailable', () => `a full disk: ${refused.text}`);
  gate.open();
  verdict.require((await client.get('/healthz')).status === 200, () => 'it is not alive on a full disk');
  verdict.require((await client.get('/runs')).status === 200, () => 'nothing can be read on a full disk');
  rmSync(filler);
  const { end } = await wish;
  verdict.require(end?.event.type === 'agent_completed', () => `the run ended with ${end?.json}`);
  while ((await client.post('/', { message: `taken again ${n}`, background: true })).status !== 202)
    await sleep(LOOK_MS);
  while ((await client.get('/readyz')).status !== 200) await sleep(LOOK_MS);
  return accepted + 1;
}

/** Takes all the room that there is. */
function fill(file: string, disk: string): void {
  const handle = openSync(file, 'w');
  const { bavail, bsize } = statfsSync(disk);
  const chunk = Buffer.alloc(bsize, 1);
  try {
    for (let left = bavail + 16; left > 0; left--) writeSync(handle, chunk);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(handle);
  }
}

/** Whether a small disk can be made here. */
export const canMountDisks = (): boolean => process.platform === 'linux' && process.getuid?.() === 0;
