import { closeInOrder } from '#platform';
import type { ReadModels } from '#read-models';
import type { Core } from '#runs';
import type { Part } from '#replicas';
import { type PartOptions, Replicas } from './replicas.js';

/** Of a process that is alone on its log: the same for its predecessors, whose runs are its own. */
const REPLICA = 'embedded';

interface Running {
  readonly part: Part;
  readonly beginsRuns: boolean;
}

/** The one process of its log: does everything itself, and at its start goes on with all that is unfinished. */
export class Alone extends Replicas {
  override readonly replica = REPLICA;
  override readonly isShared = false;
  private running: Running[] = [];
  private readonly retiring = new AbortController();

  /** @param release gives up what keeps other processes away from the log */
  constructor(private readonly release: () => Promise<void> = () => Promise.resolve()) {
    super();
  }

  override mayClaim(): boolean {
    return true;
  }

  override isAlive(): boolean {
    return false;
  }

  override problem(): string | null {
    return null;
  }

  override add(_name: string, open: (fence: number) => Part, { beginsRuns = false }: PartOptions = {}): void {
    const part = open(0);
    this.running.push({ part, beginsRuns });
    part.start();
  }

  /** Nobody else could have it. */
  override giveUp(): void {}

  override begin(core: Core, readModels: ReadModels): void {
    core.recovery.start({ sessions: () => readModels.unfinishedSessions() }, this.retiring.signal);
  }

  override async retire(graceMs: number): Promise<void> {
    this.retiring.abort(new Error('the process begins nothing more'));
    await this.stop(({ beginsRuns }) => beginsRuns, graceMs);
  }

  override async end(graceMs: number): Promise<void> {
    await closeInOrder(
      () => this.stop(() => true, graceMs),
      () => this.release(),
    );
  }

  private async stop(isMeant: (running: Running) => boolean, graceMs: number): Promise<void> {
    const meant = this.running.filter(isMeant);
    this.running = this.running.filter((running) => !meant.includes(running));
    await closeInOrder(
      ...meant.toReversed().map(
        ({ part }) =>
          () =>
            part.stop(graceMs),
      ),
    );
  }
}
