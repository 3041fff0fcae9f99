import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { freePort } from '../support/free-port.js';
import { WitnessProcess } from '../support/proof/witness-process.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

const ORIGIN = 'example.com/annals-witnessed';

let service: ServiceProcess;
let folder: string;
let policy: string;
let one: WitnessProcess;
let two: WitnessProcess;
let monitor: WitnessProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'annals-witnessed-'));
  policy = join(folder, 'policy');
  const port = await freePort();
  const env = { PORT: String(port), ANNALS_ORIGIN: ORIGIN, PROOF_PUBLIC: 'true' };
  service = await ServiceProcess.start({ env });
  // Witnesses are told the key of the log, and the log is told the keys of the witnesses.
  const [key = ''] = (await service.client().get('/proof/keys')).text.match(/^log .*$/m) ?? [];
  const logs = `${key} http://127.0.0.1:${port}/proof\n`;
  [one, two, monitor] = (await Promise.all(
    ['one.example/w', 'two.example/w', 'audit.example/monitor'].map((name) =>
      WitnessProcess.start({ name, logs }),
    ),
  )) as [WitnessProcess, WitnessProcess, WitnessProcess];
  const witnesses = `${one.line('one')}${two.line('two')}group both all one two\n`;
  await writeFile(policy, `${key}\n${witnesses}${monitor.line('m')}quorum both\n`);
  await writeFile(join(folder, 'without-monitor'), `${key}\n${witnesses}quorum both\n`);
  await service.restart('SIGTERM', { env: { WITNESSES: policy } });
});
afterAll(async () => {
  await service?.dispose();
  for (const witness of [one, two, monitor]) await witness?.dispose();
  await rm(folder, { recursive: true, force: true });
});

interface Verdict {
  readonly exit: number;
  readonly level: string | null;
  readonly witnesses: readonly string[];
  readonly failures: readonly { readonly code: string }[];
}

/** What `annals verify` says of the export of a session as it is now. */
async function verified(session: string, by = policy): Promise<Verdict> {
  const file = join(folder, 'file.annals.jsonl');
  const answer = await service.client().get(`/sessions/${session}/export`);
  expect(answer.status).toBe(200);
  await writeFile(file, answer.text);
  const words = ['dist/apps/server/src/cli/main.js', 'verify', file, '--policy', by, '--json'];
  const { stdout } = spawnSync(resolve('node_modules/.bin/node'), words, { encoding: 'utf8' });
  return JSON.parse(stdout) as Verdict;
}

const run = async (): Promise<string> => (await service.client().runToEnd('What is 6 x 7?')).session;

it('what two witnesses and a monitor have cosigned is complete, and without the monitor witnessed', async () => {
  const session = await run();
  expect(await verified(session)).toMatchObject({
    exit: 0,
    level: 'complete',
    witnesses: ['one', 'two', 'm'],
    failures: [],
  });
  expect(await verified(session, join(folder, 'without-monitor'))).toMatchObject({ level: 'witnessed' });
});

it('one that is down is missing, nothing waits for it, and when it is back it is asked again at the next export', async () => {
  expect(await one.kill()).toBe(0);
  const session = await run();
  expect(await verified(session)).toMatchObject({
    exit: 1,
    witnesses: ['two', 'm'],
    failures: [{ code: 'quorum' }],
  });
  await one.launch();
  await until(async () => (await verified(session)).level === 'complete');
});

it('a log that is restored together with its keys is found to be a fork, and signs nothing more', async () => {
  const backup = join(folder, 'backup');
  expect(await service.kill('SIGTERM')).toMatchObject({ code: 0 });
  await cp(service.dataDir, backup, { recursive: true });
  await service.launch({ env: { WITNESSES: policy } });
  const lost = await run();
  expect(await verified(lost)).toMatchObject({ level: 'complete' });
  await service.kill('SIGTERM');
  for (const name of await readdir(service.dataDir))
    await rm(join(service.dataDir, name), { recursive: true });
  await cp(backup, service.dataDir, { recursive: true });
  await service.launch({ env: { WITNESSES: policy } });
  const session = await run();
  const client = service.client();
  await until(async () => (await client.get('/proof/checkpoint')).status === 503);
  expect((await client.get('/proof/checkpoint')).json()).toMatchObject({ code: 'sealing_stopped' });
  await until(async () => {
    const { status, text } = await client.get('/readyz');
    return status === 200 && text.includes('log_forked');
  });
  expect(service.output).toMatch(/"reason":"log_forked"/);
  // Runs go on, and exports say no more than is so.
  expect(await verified(session)).toMatchObject({ exit: 1, failures: [{ code: 'unsealed' }] });
});
