import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLog } from '#event-log';
import { RunChecks } from '../../apps/server/src/compose/run-checks.js';
import { CallbackReceiver } from '../support/callback-receiver.js';
import {
  GOLDEN,
  type GoldenFolds,
  goldenNames,
  keepGolden,
  readFolds,
  readGolden,
  unpackGolden,
} from '../support/golden-log.js';
import { call, say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';

const foldsIn = (folder: string): GoldenFolds =>
  JSON.parse(readFileSync(join(folder, 'folds.json'), 'utf8')) as GoldenFolds;

/** A log of any format: its keys open it, no fault, and every prefix of every stream means what it meant. */
async function expectGolden(folder: string): Promise<void> {
  const { folds, seen } = await readGolden(folder, ({ log, vault }) =>
    verifyLog(log, { checks: [new RunChecks().check], keys: vault }),
  );
  expect(seen.faults).toEqual([]);
  expect(folds).toEqual(foldsIn(folder));
  expect(seen).toMatchObject({ events: folds.events, erased: expect.any(Number) });
  expect(seen.erased).toBeGreaterThan(0);
  expect(seen.proven + seen.erased).toBe(seen.events);
  for (const kind of ['session-', 'task-', 'delivery-'])
    expect(Object.keys(folds.streams).some((stream) => stream.startsWith(kind))).toBe(true);
}

// A new format is kept with `GOLDEN=<name> npm run jest -- test/contract/golden-logs`: it writes what today's program logs.
const made = process.env['GOLDEN'];

describe('a log that was kept', () => {
  let folder: string;
  beforeAll(async () => {
    folder = made === undefined ? mkdtempSync(join(tmpdir(), 'annals-golden-')) : join(GOLDEN, made);
    await keepTodays(folder);
  });
  afterAll(() => {
    if (made === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  it('is read, and means what it meant: the one of today', () => expectGolden(folder));

  it('is not taken for the same where an event of it is another one', async () => {
    const changed = mkdtempSync(join(tmpdir(), 'annals-golden-'));
    try {
      unpackGolden(folder, changed);
      const db = new DatabaseSync(join(changed, 'log', 'log.db'));
      const { changes } = db
        .prepare("UPDATE events SET type = 'agent_cancelled' WHERE type = 'agent_completed'")
        .run();
      db.close();
      expect(changes).toBeGreaterThan(0);
      const { folds, seen } = await readFolds(changed, ({ log, vault }) => verifyLog(log, { keys: vault }));
      expect(folds).not.toEqual(foldsIn(folder));
      expect(seen.faultCount).toBeGreaterThan(0);
    } finally {
      rmSync(changed, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    }
  });

  const names = goldenNames();
  if (names.length > 0)
    it.each(names)('is read, and means what it meant: %s', (name) => expectGolden(join(GOLDEN, name)));
});

/** Runs with tools, a workflow, a schedule, callbacks, a clear, a failure and an erased session, as they are logged today. */
async function keepTodays(folder: string): Promise<void> {
  const receiver = await CallbackReceiver.start();
  const stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
  try {
    const { client, book } = stage;
    const agents = [{ name: 'expert', description: 'knows' }];
    const turns = [say('I ask. ', ...call(0, 'c1', 'transfer_to_expert')), say('Answered.')];
    const message = book.on('ask the expert', ...turns);
    const { session } = await client.runToEnd({ message, agents, streaming_tokens: true });
    await client.runToEnd({ message: 'later', schedules: [{ schedule: 3_600, message: 'x' }] }, { session });
    await client.post(`/clear-messages?session=${session}`);
    const steps = ['a', 'b'].map((id) => ({ id, name: id, description: `do ${id}`, depends_on: [] }));
    const workflows = [{ id: 'w', name: 'w', description: 'd', steps }];
    const flow = book.on('work', say(...call(0, 'c2', 'run_workflow', { workflow_id: 'w' })), say('Done.'));
    await client.runToEnd({ message: flow, workflows }, { session });
    const refused = book.on('refused', { kind: 'status', status: 400, body: { error: { message: 'no' } } });
    await client.runToEnd(refused);
    const callback = { url: receiver.url };
    const { run_id: told } = await client.runToEnd({ message: 'tell them', callback });
    const forgotten = { message: 'forget me', callback, schedules: [{ schedule: 7_200, message: 'y' }] };
    const { session: erased, run_id: run } = await client.runToEnd(forgotten);
    for (const one of [told, run]) await receiver.ended(one);
    await client.call('DELETE', `/sessions/${erased}`);
    await stage.service.kill('SIGTERM');
    await keepGolden(stage.service.dataDir, folder);
  } finally {
    await stage.close();
    await receiver.close();
  }
}
