import type { FastifyReply } from 'fastify';
import { type Clock, TransientSet } from '#platform';
import type { Principal } from '#access';

/** What is still open of an ended key after so long is cut off: what was nearly done may end by itself. */
const GRACE_MS = 1_000;
const SWEEP_MS = 500;

/** An answer that is under way. */
export class OpenAnswer {
  private whenKeyEnds: (() => void) | null = null;
  private hasEnded = false;

  constructor(
    private readonly reply: FastifyReply,
    readonly principal: Pick<Principal, 'keyId' | 'signIn'>,
    readonly expiresAt: number,
  ) {}

  /** Whether its key is no more. */
  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Has `end` called when its key is no more, so that the answer ends in order. */
  onKeyEnd(end: () => void): void {
    this.whenKeyEnds = end;
    if (this.hasEnded) end();
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.whenKeyEnds?.();
  }

  /** A deletion tells nothing, and may be that of the key itself. */
  cut(): void {
    if (this.reply.request.method !== 'DELETE') this.reply.raw.destroy();
  }
}

/**
 * The responses in progress. Owns when they are cut off: once a key is revoked or expires, what was asked for with it ends
 * within a second, by itself or by being cut off.
 */
export class OpenAnswers {
  private readonly open = new TransientSet<OpenAnswer>();
  /** How many have a time to end at. */
  private expiring = 0;
  private cancel: (() => void) | null = null;

  constructor(private readonly clock: Clock) {}

  add(principal: Principal, reply: FastifyReply): OpenAnswer {
    const { expiresAt = Infinity } = principal;
    const answer = new OpenAnswer(reply, principal, expiresAt);
    const remove = this.open.add(answer);
    if (expiresAt < Infinity) this.watchTime();
    reply.raw.once('close', () => {
      remove();
      if (expiresAt < Infinity) this.expiring -= 1;
    });
    return answer;
  }

  /** The key was revoked. */
  end(keyId: string): void {
    this.endThose(({ principal }) => principal.keyId === keyId);
  }

  /** Somebody has signed out. */
  endOf(signIn: string): void {
    this.endThose(({ principal }) => principal.signIn === signIn);
  }

  close(): void {
    this.cancel?.();
  }

  private endThose(isMeant: (answer: OpenAnswer) => boolean): void {
    const ended = [...this.open].filter((answer) => !answer.isOver && isMeant(answer));
    if (ended.length === 0) return;
    for (const answer of ended) answer.end();
    this.clock.timer(GRACE_MS, () => {
      for (const answer of this.open) if (answer.isOver) answer.cut();
    });
  }

  private watchTime(): void {
    this.expiring += 1;
    this.cancel ??= this.clock.timer(SWEEP_MS, () => this.sweep());
  }

  private sweep(): void {
    this.cancel = null;
    if (this.expiring === 0) return;
    const now = this.clock.now();
    this.endThose(({ expiresAt }) => expiresAt <= now);
    this.cancel = this.clock.timer(SWEEP_MS, () => this.sweep());
  }
}
