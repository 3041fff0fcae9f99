import { expect, it } from '@jest/globals';
import { DATASTORE_PREFIX } from '#domain';
import type { EventLog } from '#event-log';
import type { UploadStore } from '#vault';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { KeptLogger } from '../../../test/support/read-models-fixture.js';
import { AbandonedUploads } from './abandoned-uploads.js';
import { scopeOf } from './index-document.js';
import type { KnowledgeRows } from './postgres/knowledge-rows.js';

const NOW = 1_000_000;

/** Files by their ages, on a log that knows none of their documents and was begun at a time; null: it is empty. */
async function sweep(files: Readonly<Record<string, number>>, begun: number | null, exclusive = true) {
  const left = new Map(Object.entries(files).map(([upload, time]) => [scopeOf(upload), time]));
  const uploads = {
    scopesBefore: async (_prefix: string, before: number) =>
      [...left].flatMap(([scope, time]) => (time < before ? [scope] : [])),
    remove: async (scope: string) => void left.delete(scope),
  } as unknown as UploadStore;
  const event = { stream: `${DATASTORE_PREFIX}ds_1`, type: 'datastore_created', time: begun, meta: {} };
  const log = {
    exclusive,
    async *readAll() {
      if (begun !== null) yield { events: [event] };
    },
  } as unknown as EventLog;
  const rows = { knownUploads: async () => [] } as unknown as KnowledgeRows;
  const logger = new KeptLogger();
  const ports = { log, uploads, rows, clock: new ManualClock(NOW), logger };
  await new AbandonedUploads(ports).sweep(new AbortController().signal);
  const kept = Object.keys(files).filter((upload) => left.has(scopeOf(upload)));
  return { kept, warned: logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields) };
}

it('removes what was left on this log', async () => {
  expect(await sweep({ old: 500, new: 900 }, 400)).toEqual({ kept: [], warned: [] });
});

it('leaves what is older than the log, which may be the wrong one, and says so', async () => {
  expect(await sweep({ old: 500, new: 900 }, 700)).toEqual({ kept: ['old'], warned: [{ files: 1 }] });
  expect(await sweep({ old: 500, new: 900 }, null)).toEqual({ kept: ['old', 'new'], warned: [{ files: 2 }] });
  const day = 24 * 60 * 60 * 1000;
  expect(await sweep({ old: -2 * day }, NOW - 1, false)).toEqual({ kept: ['old'], warned: [{ files: 1 }] });
});
