import { immortal, type SimWorld } from './sim-world.js';
import type { SessionWatch } from './session-watch.js';
import type { Life, SimWorker } from './sim-worker.js';

const ROUND_MS = 1000;
/** From then on they look less and less often: what is open then waits for hours, not for them. */
const OFTEN_ROUNDS = 300;
const LONGEST_ROUND_MS = 3_600_000;

/**
 * Stand in for what tells the replicas of a shared log which of them are silent: they have the runs of the dead claimed,
 * and sometimes those of the living.
 */
export class Supervisors {
  private readonly owner = immortal('supervisor');

  constructor(
    private readonly world: SimWorld,
    private readonly workers: readonly SimWorker[],
    private readonly watch: SessionWatch,
  ) {}

  /** From now on every round looks at all sessions, and judges rightly. */
  startWatching(rounds = 0): void {
    const ms = ROUND_MS * 2 ** Math.max(0, rounds - OFTEN_ROUNDS);
    this.world.scheduler.after(this.owner, Math.min(ms, LONGEST_ROUND_MS), 'round', () => {
      for (const worker of this.workers) {
        if (worker.life === null) worker.boot();
        if (worker.life !== null && !this.world.isExclusive) this.look(worker, worker.life);
      }
      this.startWatching(rounds + 1);
    });
  }

  /** Some worker claims some session's run, whoever drives it. */
  misjudge(): void {
    const { tape, isExclusive, marks } = this.world;
    const worker = this.workers[tape.choose(this.workers.length)];
    const sessions = [...this.watch.sessions()];
    const found = sessions[tape.choose(sessions.length)];
    if (isExclusive || !worker?.life || worker.life.isDraining || found === undefined) return;
    marks.hit('claimed on suspicion');
    this.resume(worker.life, found[0]);
  }

  private look(worker: SimWorker, life: Life): void {
    for (const [id, { current, waiting }] of this.watch.sessions()) {
      if (current !== null && (current.park === 'woken' || !this.isAlive(current.worker)))
        this.resume(life, id);
      else if (waiting.some((run) => run.replica === worker.replica)) this.wake(life, id);
    }
  }

  private isAlive(worker: string): boolean {
    const number = Number.parseInt(worker.split(':')[1]?.slice(0, 4) ?? '', 16);
    return this.workers.some(({ life }) => life?.number === number);
  }

  private resume(life: Life, id: string): void {
    this.wake(life, id, () => life.core.recovery.resume(id));
  }

  /** The worker knows the session, and reads it where it did not. */
  private wake(life: Life, id: string, then: () => Promise<void> = () => Promise.resolve()): void {
    this.world.scheduler.after(life.owner, 0, `supervisor names ${id}`, () => {
      life.core.sessions
        .get(id)
        .then(then)
        .catch(() => undefined);
    });
  }
}
