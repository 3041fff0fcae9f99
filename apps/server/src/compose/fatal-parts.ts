import type { Logger } from '#platform';

/** The parts of this process that ended although nobody stopped them: another replica is to do what they did. */
export class FatalParts {
  private readonly reasons = new Map<string, string>();

  /** @param giveUp leaves the part to other replicas */
  constructor(
    private readonly logger: Logger,
    private readonly giveUp: (name: string) => void,
  ) {}

  /** What a part with this name calls when it cannot go on. */
  readonly of =
    (name: string) =>
    (error: unknown): void => {
      this.reasons.set(name, error instanceof Error ? error.message : String(error));
      this.logger.error({ err: error, part: name }, 'a part of the service cannot go on');
      this.giveUp(name);
    };

  /** For `/readyz`; null: all of them work. */
  problem(): string | null {
    if (this.reasons.size === 0) return null;
    return [...this.reasons].map(([name, reason]) => `${name} has stopped: ${reason}`).join('; ');
  }
}
