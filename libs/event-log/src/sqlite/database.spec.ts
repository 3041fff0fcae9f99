import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openDatabase } from './database.js';

test('the file of the log is synced to the platter, on macOS too', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-database-'));
  const { db } = openDatabase({ folder, walBytes: 1024 * 1024, faults: {} });
  try {
    for (const name of ['fullfsync', 'checkpoint_fullfsync'])
      expect(db.prepare(`PRAGMA ${name}`).get()).toEqual({ [name]: 1 });
    // FULL: each commit is synced before it is answered.
    expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
});
