import type { EventLog } from '#event-log';
import type { ReadModels } from '#read-models';
import { type Check, HealthChecks } from '../edge/probes/health-checks.js';
import type { Stop } from '#sealer';
import type { Proof } from './open-proof.js';
import type { FatalParts } from './fatal-parts.js';
import type { KafkaLink } from './open-kafka.js';
import type { Replicas } from './replicas/replicas.js';

interface Asked {
  readonly log: Pick<EventLog, 'health'>;
  readonly readModels: Pick<ReadModels, 'health'>;
  readonly replicas: Pick<Replicas, 'problem'>;
  readonly kafka: Pick<KafkaLink, 'check'> | null;
  readonly fatal: Pick<FatalParts, 'problem'>;
  readonly apiKeys: { readonly problem: string | null };
  readonly proof: Pick<Proof, 'status'>;
}

export class ServiceHealth extends HealthChecks {
  constructor(private readonly asked: Asked) {
    super();
  }

  override async check(): Promise<readonly Check[]> {
    const { log, readModels, replicas, kafka, apiKeys, fatal, proof } = this.asked;
    const [logHealth, { database, projections }] = await Promise.all([log.health(), readModels.health()]);
    const checks = [
      // The keys are what the log says: who does not hear it any more lets in whom it should not.
      checkOf('log', unless(apiKeys.problem, logHealth)),
      checkOf('database', unless(replicas.problem(), database)),
      checkOf('projections', unless(fatal.problem(), projections)),
      // Runs go on: nobody is to be sent elsewhere.
      { ...checkOf('proof', healthOf(proof.status.stopped)), isRequired: false },
    ];
    return kafka === null ? checks : [...checks, await kafka.check()];
  }
}

interface Health {
  readonly ok: boolean;
  readonly detail?: string;
}

const healthOf = (stop: Stop | null): Health =>
  stop === null ? { ok: true } : { ok: false, detail: `${stop.reason}: ${stop.detail}` };

const unless = (problem: string | null, health: Health): Health =>
  health.ok && problem !== null ? { ok: false, detail: problem } : health;

const checkOf = (name: string, { ok, detail }: Health): Check => ({
  name,
  isOk: ok,
  isRequired: true,
  ...(detail === undefined ? {} : { detail }),
});
