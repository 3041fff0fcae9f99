import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ProcessBackground, SystemClock, SystemRandom } from '#platform';
import { SCHEMA } from './postgres/schema.js';
import { UpgradeRebuild } from './upgrade-rebuild.js';
import { wholeHistory } from '../../../test/support/whole-history.js';
import {
  type Fixture,
  PROJECT,
  answer,
  append,
  newSession,
  openFixture,
  opening,
} from '../../../test/support/read-models-fixture.js';

let fixture: Fixture;
beforeAll(async () => void (fixture = await openFixture()));
afterAll(() => fixture.close());

describe('tables that an earlier version wrote', () => {
  const query = async (text: string) => (await fixture.models.database.query({ text })).rows;
  const rebuild = () =>
    new UpgradeRebuild(fixture.models.database, {
      log: fixture.log,
      files: fixture.files,
      metadataSecret: fixture.metadataSecret,
      clock: new SystemClock(),
      random: new SystemRandom(),
      background: new ProcessBackground(fixture.logger),
      logger: fixture.logger,
    }).run();

  it('are made anew once, where a migration asks for it', async () => {
    const session = newSession();
    const run = `run_${session}_1`;
    await append(fixture.log, session, [...opening(run, 'hi'), ...answer(run, ['6 x 7'])]);
    const whole = await wholeHistory(fixture.models.history, PROJECT, session);
    expect(whole).toHaveLength(2);
    await fixture.models.caughtUp();
    // No earlier version wrote these.
    expect(await query(`SELECT reason FROM ${SCHEMA}.wanted_rebuilds`)).toEqual([]);

    await query(`DELETE FROM ${SCHEMA}.messages`);
    await query(`INSERT INTO ${SCHEMA}.wanted_rebuilds VALUES ('torn messages')`);
    expect(await wholeHistory(fixture.models.history, PROJECT, session)).toEqual([]);
    await rebuild();
    expect(await wholeHistory(fixture.models.history, PROJECT, session)).toEqual(whole);
    expect(await query(`SELECT reason FROM ${SCHEMA}.wanted_rebuilds`)).toEqual([]);

    await query(`DELETE FROM ${SCHEMA}.messages`);
    await rebuild();
    expect(await query(`SELECT FROM ${SCHEMA}.messages`)).toEqual([]);
  });
});
