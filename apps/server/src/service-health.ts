import type { EventLog } from '#event-log';
import type { ReadModels } from '#read-models';
import { type Check, HealthChecks } from './http/health-checks.js';
import type { KafkaLink } from './kafka/open-kafka.js';
import type { Replicas } from './replicas/replicas.js';

export class ServiceHealth extends HealthChecks {
  constructor(
    private readonly log: EventLog,
    private readonly readModels: ReadModels,
    private readonly replicas: Replicas,
    private readonly kafka: Pick<KafkaLink, 'check'> | null,
  ) {
    super();
  }

  override async check(): Promise<readonly Check[]> {
    const [log, { database, projections }] = await Promise.all([this.log.health(), this.readModels.health()]);
    const heartbeat = this.replicas.problem();
    const both = database.ok && heartbeat !== null ? { ok: false, detail: heartbeat } : database;
    const checks = [checkOf('log', log), checkOf('database', both), checkOf('projections', projections)];
    return this.kafka === null ? checks : [...checks, await this.kafka.check()];
  }
}

const checkOf = (
  name: string,
  { ok, detail }: { readonly ok: boolean; readonly detail?: string },
): Check => ({
  name,
  isOk: ok,
  isRequired: true,
  ...(detail === undefined ? {} : { detail }),
});
