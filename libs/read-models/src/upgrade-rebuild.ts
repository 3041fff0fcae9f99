import { raw, sql, statement } from '#postgres';
import type { Database } from './postgres/database.js';
import { SCHEMA } from './postgres/schema.js';
import { type RebuildPorts, rebuildTables } from './rebuild.js';

const READ_REASONS = statement(sql<void>`SELECT reason FROM ${raw(SCHEMA)}.wanted_rebuilds`);
const FORGET_REASONS = statement(sql<readonly string[]>`
  DELETE FROM ${raw(SCHEMA)}.wanted_rebuilds WHERE reason = ANY (${(reasons) => reasons})`);

/**
 * Makes the tables anew, once, where a migration has found that what earlier versions wrote must be mended. The ones in
 * use stay in use until the new ones have caught up; what breaks off is begun again at the next start.
 */
export class UpgradeRebuild {
  private readonly stopping = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly ports: RebuildPorts,
  ) {}

  async run(): Promise<void> {
    const { logger } = this.ports;
    const { signal } = this.stopping;
    try {
      const reasons = await this.reasons();
      if (reasons.length === 0 || signal.aborted) return;
      logger.info({ reasons }, 'an upgrade makes the read models anew; the old ones serve meanwhile');
      const { events, ms } = await rebuildTables(this.database, this.ports, signal);
      await this.database.query(FORGET_REASONS(reasons));
      logger.info({ events, ms }, 'the read models are made anew');
    } catch (error) {
      if (!signal.aborted)
        logger.warn({ err: error }, 'the read models could not be made anew, and are at the next start');
    }
  }

  stop(): void {
    this.stopping.abort(new Error('the service stops'));
  }

  private async reasons(): Promise<readonly string[]> {
    const { rows } = await this.database.query(READ_REASONS());
    return rows.map((row) => String((row as { reason: unknown }).reason));
  }
}
