import type { FastifyRequest } from 'fastify';
import type { Principal } from '#access';
import type { Problem } from '#domain';

const GONE = new Error('nobody waits for this answer any more');

/**
 * One POST to `/mcp` while it is answered. Owns whether somebody still waits for the answer, and what was decided before the
 * first byte of it: until then a refusal has a status of its own.
 */
export class Exchange {
  private readonly controller = new AbortController();
  private readonly settled = Promise.withResolvers<void>();
  private client: 'there' | 'left' = 'there';
  private refusal: Problem | null = null;

  private readonly ends: (() => void)[] = [];

  constructor(
    readonly request: FastifyRequest,
    readonly caller: Principal,
  ) {}

  /** Aborted when nobody waits for the answer any more, whoever ended it. */
  get gone(): AbortSignal {
    return this.controller.signal;
  }

  /** Whether it was the client who ended it. */
  get hasLeft(): boolean {
    return this.client === 'left';
  }

  leave(): void {
    this.client = 'left';
    this.cut();
  }

  cut(): void {
    this.controller.abort(GONE);
  }

  /** Resolves when the answer may begin, or is refused. */
  get decided(): Promise<void> {
    return this.settled.promise;
  }

  /** The answer may begin: from here on a fault stands in it. */
  begin(): void {
    this.settled.resolve();
  }

  /** What is answered in place of a result. */
  get problem(): Problem | null {
    return this.refusal;
  }

  refuse(problem: Problem): void {
    this.refusal = problem;
    this.settled.resolve();
  }

  /** Has `release` called when the answer is on its way, or will never be. */
  whenOver(release: () => void): void {
    this.ends.push(release);
  }

  end(): void {
    for (const release of this.ends.splice(0)) release();
  }
}
