import type { RunningFollowers } from '#event-log';
import type { Gauge, Metrics } from '#platform';
import type { Core } from '#runs';
import type { ProofStatus } from '#sealer';
import type { HealthChecks } from '../edge/probes/health-checks.js';
import type { OpenStreams } from '../edge/answers/socket-sink.js';

export interface WatchedService {
  readonly core: Core;
  readonly openStreams: OpenStreams;
  readonly followers: RunningFollowers;
  readonly health: HealthChecks;
  readonly proof: { readonly status: ProofStatus };
}

const NONE = {};

/** What the service is at the moment that somebody asks. */
export function watchService(metrics: Metrics, service: WatchedService): void {
  watchRuns(metrics, service);
  watchProjects(metrics, service.core);
  watchFollowers(metrics, service.followers);
  watchChecks(metrics, service.health);
  watchProof(metrics, service.proof.status);
}

function watchRuns(metrics: Metrics, { core, openStreams }: WatchedService): void {
  const runs = metrics.gauge({
    name: 'annals_runs',
    help: 'Runs of this replica: running, waiting for their turn or for room (queued).',
    labels: ['state'],
  });
  const sessions = metrics.gauge({
    name: 'annals_sessions_active',
    help: 'Sessions with something to do in this replica.',
  });
  const streams = metrics.gauge({ name: 'annals_streams_open', help: 'Event streams with a client.' });
  metrics.onRead(() => {
    const active = core.sessions.active();
    const queued = active.reduce((sum, { journal }) => sum + journal.state.waiting.length, 0);
    runs.set({ state: 'running' }, core.admission.running);
    runs.set({ state: 'queued' }, queued);
    sessions.set(NONE, active.length);
    streams.set(NONE, openStreams.size);
  });
}

/** Those of a project that has none any more are 0. */
function watchProjects(metrics: Metrics, core: Core): void {
  const runs = metrics.gauge({
    name: 'annals_project_runs',
    help: 'Runs of this replica by project: running, waiting for their turn or for room (queued).',
    labels: ['state', 'project'],
  });
  let known = new Set<string>();
  const look = (): void => {
    const [running, queued] = [new Map<string, number>(), new Map<string, number>()];
    for (const { journal } of core.sessions.active()) {
      const { project, waiting } = journal.state;
      if (project !== null) queued.set(project, (queued.get(project) ?? 0) + waiting.length);
    }
    for (const project of core.admission.projects()) running.set(project, (running.get(project) ?? 0) + 1);
    const now = new Set([...running.keys(), ...queued.keys()]);
    for (const project of new Set([...known, ...now])) {
      runs.set({ state: 'running', project }, running.get(project) ?? 0);
      runs.set({ state: 'queued', project }, queued.get(project) ?? 0);
    }
    known = now;
  };
  metrics.onRead(look, { isByProject: true });
}

function watchFollowers(metrics: Metrics, followers: RunningFollowers): void {
  const of = (name: string, help: string): Gauge<'follower'> =>
    metrics.gauge({ name, help, labels: ['follower'] });
  const lag = of('annals_follower_lag_seconds', 'Age of the oldest event that a follower has not handled.');
  const behind = of('annals_follower_behind', 'Positions of the log that a follower has not passed yet.');
  const failures = of('annals_follower_failures', 'Failures of a follower since its last success.');
  const parked = of(
    'annals_follower_parked',
    'Events that a follower has put aside, and not taken up again.',
  );
  const running = of('annals_follower_running', '1 while a follower works in this replica.');
  const known = new Set<string>();
  metrics.onRead(async () => {
    const statuses = await followers.statuses();
    const { names } = followers;
    // One that another replica does now is not late here.
    for (const follower of known)
      if (!names.has(follower))
        for (const gauge of [running, lag, behind, failures]) gauge.set({ follower }, 0);
    for (const { name: follower, ...status } of statuses) {
      known.add(follower);
      running.set({ follower }, status.state === 'running' ? 1 : 0);
      lag.set({ follower }, status.lagMs / 1000);
      behind.set({ follower }, Math.max(0, status.head - status.position));
      failures.set({ follower }, status.failures);
      parked.set({ follower }, status.parked);
    }
  });
}

function watchChecks(metrics: Metrics, health: HealthChecks): void {
  const checks = metrics.gauge({
    name: 'annals_check_ok',
    help: '1 while a check of /readyz is well, 0 while it is not.',
    labels: ['check'],
  });
  metrics.onRead(async () => {
    for (const { name, isOk } of await health.check()) checks.set({ check: name }, isOk ? 1 : 0);
  });
}

function watchProof(metrics: Metrics, status: ProofStatus): void {
  const stopped = metrics.gauge({
    name: 'annals_sealing_stopped',
    help: '1 while nothing is signed any more, until ANNALS_ORIGIN names another.',
  });
  const age = metrics.gauge({
    name: 'annals_proof_cosigned_age_seconds',
    help: 'Since a witness cosigned the newest checkpoint; -1: it has not.',
    labels: ['witness'],
  });
  metrics.onRead(() => {
    stopped.set(NONE, status.stopped === null ? 0 : 1);
    const { cosigned } = status;
    for (const witness of status.witnesses) age.set({ witness }, cosigned.get(witness) ?? -1);
  });
}
