import { Problem, type ProjectId } from '#domain';
import type { Freshness } from '#event-log';
import { Quota, type Reservation } from '#platform';
import { isOutage } from './outage.js';
import type { KnowledgeRows } from './postgres/knowledge-rows.js';

const MEGABYTE = 1024 * 1024;

/** Storage quota of a project: bounds the total bytes of its documents' files. */
export class StoredBytes {
  private readonly quota: Quota;

  constructor(maxEach: number, { rows, freshness }: { rows: KnowledgeRows; freshness: Freshness }) {
    const count = async (project: ProjectId): Promise<number> => {
      await freshness.caughtUp();
      return rows.storedBytes(project);
    };
    this.quota = new Quota(maxEach, count, isOutage);
  }

  /** Counts a file that is about to be kept. @throws Problem unprocessable */
  async reserve(project: ProjectId, bytes: number): Promise<Reservation> {
    const reserved = await this.quota.reserve(project, bytes);
    if (typeof reserved === 'function') return reserved;
    const [used, limit, more] = [reserved.used, this.quota.limit, bytes].map(megabytes);
    const detail = `the file has ${more} MB, and the documents of this project have ${used} MB of the ${limit} MB that they may have (MAX_STORED_MB_PER_PROJECT); delete some`;
    throw new Problem('unprocessable', detail);
  }
}

const megabytes = (bytes: number): string => (Math.ceil((bytes / MEGABYTE) * 10) / 10).toString();
