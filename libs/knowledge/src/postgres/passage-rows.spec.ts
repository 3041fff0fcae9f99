import { rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SilentLogger } from '#platform';
import { isOfSystem } from '../outage.js';
import { KnowledgeRows } from './knowledge-rows.js';
import { migrate } from './migrate.js';
import { PassageRows, TextLost } from './passage-rows.js';
import { SCHEMA } from './tables.js';
import { type Fixture, openFixture } from '../../../../test/support/read-models-fixture.js';

const OF = { upload: 'an upload', datastore: 'a datastore' };

const BATCH = {
  from: 0,
  passages: [{ text: 'a whale', page: null, heading: '', position: 0 }],
  language: 'simple',
};

describe('what a transaction over the rows throws', () => {
  let fixture: Fixture;
  beforeAll(async () => void (fixture = await openFixture()));
  beforeEach(async () => {
    const { database } = fixture.models;
    await database.query({ text: `DROP SCHEMA IF EXISTS ${SCHEMA} CASCADE` });
    await migrate(database, new SilentLogger());
  });
  afterAll(() => fixture.close());

  it('is TextLost where somebody else holds the text', async () => {
    const [ours, theirs] = ['ours', 'theirs'].map(
      (holder) => new PassageRows(fixture.models.database, holder),
    );
    await ours!.hold(OF);
    await expect(theirs!.hold(OF)).rejects.toBeInstanceOf(TextLost);
    await expect(theirs!.add(OF, BATCH, new AbortController().signal)).rejects.toBeInstanceOf(TextLost);
    await ours!.keepHolding(OF.upload);
    await ours!.remove(OF.upload);
    await expect(ours!.keepHolding(OF.upload)).rejects.toBeInstanceOf(TextLost);
  });

  it('is what the system said of a file that could not be removed, and nothing was written', async () => {
    const rows = new KnowledgeRows(fixture.models.database);
    const batch = { logId: 'a log', events: [], from: 0, to: 5 };
    const fails = rows.apply(batch, () => rmdir(join(fixture.folder, 'none')));
    await expect(fails).rejects.toMatchObject({ code: 'ENOENT' });
    expect(isOfSystem(await fails.catch((error: unknown) => error))).toBe(true);
    expect(await rows.loadCheckpoint()).toBeNull();
    await rows.apply(batch, () => Promise.resolve());
    expect(await rows.loadCheckpoint()).toEqual({ logId: 'a log', position: 5 });
  });
});
