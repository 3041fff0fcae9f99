import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EsdbServer } from '../support/esdb-server/esdb-server.js';
import { ScriptBook } from '../support/script-book.js';
import { Gate, type ScriptedModel, before, say, startScriptedModel } from '../support/scripted-model.js';
import { ServiceProcess } from '../support/service-process.js';
import { until } from '../support/until.js';

/** EVENTSTORE_URL without DATABASE_URL: one process at a time works on the log. */
let server: EsdbServer;
let model: ScriptedModel;
const book = new ScriptBook();
const services: ServiceProcess[] = [];

beforeAll(async () => {
  server = await EsdbServer.start();
  model = await startScriptedModel(book.script);
});
afterAll(async () => {
  for (const service of services) service.signal('SIGCONT');
  await Promise.all(services.map((service) => service.dispose()));
  await model.close();
  server.stop();
});

async function prepare(more: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
  const env = {
    EVENTSTORE_URL: server.url,
    OPENAI_BASE_URL: model.url,
    MODEL_BASE: 'scripted',
    ANNALS_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    TAKEOVER_S: '5',
    ...more,
  };
  const service = await ServiceProcess.prepare({ env });
  services.push(service);
  return service;
}

/** The keys lie beside the data of a process that is alone: whoever goes on with its log needs a copy. */
async function prepareWithKeysOf(other: ServiceProcess): Promise<ServiceProcess> {
  const service = await prepare();
  await cp(join(other.dataDir, 'keys'), join(service.dataDir, 'keys'), { recursive: true });
  return service;
}

async function refusalOf(service: ServiceProcess): Promise<string> {
  service.spawn();
  expect((await service.exited).code).toBe(1);
  return service.output.split('\n').find((line) => line.startsWith('EVENTSTORE_URL')) ?? service.output;
}

/** A run that is in the middle of its text until the gate opens. */
async function begin(service: ServiceProcess, name: string): Promise<{ run: string; gate: Gate }> {
  const gate = new Gate();
  const message = book.on(name, say('first ', before(gate), 'then'));
  const stream = await service.client().run({ message, streaming_tokens: true });
  await stream.untilType('agent_response');
  return { run: stream.run, gate };
}

async function completedOn(service: ServiceProcess, run: string): Promise<void> {
  const stream = await service.client().follow(`/runs/${run}`);
  await stream.closed();
  expect(stream.lines.filter((type) => /completed|error|cancelled/.test(type))).toEqual(['agent_completed']);
}

describe('with EVENTSTORE_URL alone', () => {
  it('a second process is refused in one line while the first one lives', async () => {
    const first = await prepare();
    await first.launch();
    expect(await refusalOf(await prepare())).toMatch(
      /another process works on this log; several need DATABASE_URL/,
    );
    const { run, gate } = await begin(first, 'still mine');
    gate.open();
    await completedOn(first, run);
  });

  it('a replica with DATABASE_URL is refused, too', async () => {
    const replica = await prepare({ DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:9/none' });
    expect(await refusalOf(replica)).toMatch(/a process without DATABASE_URL works on this log/);
  });

  it('the next one goes on at once with what a killed one left, wherever its data lie', async () => {
    const first = services[0] as ServiceProcess;
    const { run, gate } = await begin(first, 'left behind');
    await first.kill('SIGKILL');
    const next = await prepareWithKeysOf(first);
    await next.launch();
    expect(next.output).not.toContain('asking whether');
    gate.open();
    await completedOn(next, run);
    await next.kill('SIGTERM');
  });

  it('one that was frozen loses the log to one that asked, and ends when it goes on', async () => {
    const frozen = await prepareWithKeysOf(services.at(-1) as ServiceProcess);
    await frozen.launch();
    expect(frozen.output).not.toContain('asking whether');
    const { run, gate } = await begin(frozen, 'frozen');
    frozen.signal('SIGSTOP');
    const next = await prepareWithKeysOf(frozen);
    await next.launch();
    expect(next.output).toContain('asking whether');
    await until(() => book.asksOf('frozen', 0) >= 2);
    frozen.signal('SIGCONT');
    expect((await frozen.exited).code).toBe(1);
    expect(frozen.output).toContain('has taken the log of EVENTSTORE_URL over');
    gate.open();
    await completedOn(next, run);
    await next.kill('SIGTERM');
  });

  it('one without the keys is refused, and says what to do', async () => {
    expect(await refusalOf(await prepare())).toMatch(/the key store is missing.*restore the key store/);
  });

  it('a single process has to project', async () => {
    const service = await prepare({ ROLES: 'api' });
    service.spawn();
    expect((await service.exited).code).toBe(1);
    expect(service.output).toContain('ROLES must name projector');
  });
});
