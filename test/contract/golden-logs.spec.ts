import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyLog } from '#event-log';
import { RunChecks } from '../../apps/server/src/run-checks.js';
import { GOLDEN, type GoldenFolds, goldenNames, keepGolden, readGolden } from '../support/golden-log.js';
import { call, say } from '../support/scripted-model.js';
import { Stage } from '../support/stage.js';

const foldsIn = (folder: string): GoldenFolds =>
  JSON.parse(readFileSync(join(folder, 'folds.json'), 'utf8')) as GoldenFolds;

/** A log of any format: no fault, and every prefix of every session means what it meant. */
async function expectGolden(folder: string): Promise<void> {
  const { folds, seen } = await readGolden(folder, (log) =>
    verifyLog(log, { checks: [new RunChecks().check] }),
  );
  expect(seen.faults).toEqual([]);
  expect(folds).toEqual(foldsIn(folder));
}

// A new format is kept with `GOLDEN=<name> npm run jest -- test/contract/golden-logs`: it writes what today's program logs.
const made = process.env['GOLDEN'];

describe('a log that was kept', () => {
  let folder: string;
  beforeAll(async () => {
    folder = made === undefined ? mkdtempSync(join(tmpdir(), 'annals-golden-')) : join(GOLDEN, made);
    await keepTodays(folder);
  }, 60_000);
  afterAll(() => {
    if (made === undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  it('is read, and means what it meant: the one of today', () => expectGolden(folder));

  it('is not taken for the same where an event of it is another one', async () => {
    const changed = mkdtempSync(join(tmpdir(), 'annals-golden-'));
    try {
      const file = join(changed, 'log.db');
      writeFileSync(file, gunzipSync(readFileSync(join(folder, 'log.db.gz'))));
      const db = new DatabaseSync(file);
      const { changes } = db
        .prepare("UPDATE events SET type = 'agent_cancelled' WHERE type = 'agent_completed'")
        .run();
      db.close();
      expect(changes).toBeGreaterThan(0);
      writeFileSync(join(changed, 'log.db.gz'), gzipSync(readFileSync(file)));
      copyFileSync(join(folder, 'keys.json'), join(changed, 'keys.json'));
      const { folds } = await readGolden(changed, () => undefined);
      expect(folds).not.toEqual(foldsIn(folder));
    } finally {
      rmSync(changed, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    }
  });

  const names = goldenNames();
  if (names.length > 0)
    it.each(names)('is read, and means what it meant: %s', (name) => expectGolden(join(GOLDEN, name)));
});

/** Runs with tools, a workflow, a schedule, a clear, a failure and a cancel, as they are logged today. */
async function keepTodays(folder: string): Promise<void> {
  const stage = await Stage.open();
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
    await stage.service.kill('SIGTERM');
    await keepGolden(stage.service.dataDir, folder);
  } finally {
    await stage.close();
  }
}
