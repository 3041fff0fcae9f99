import { ModelClient, ModelFailure, type ModelPiece, type ModelRequest } from '#agent';
import type { Owner } from '../engine/scheduler.js';
import { endOf, replyTo, type PromptMessage } from './script.js';
import { type SimWorld, latency, momentOf, strikes } from './sim-world.js';

/** The model as one worker reaches it: it answers by the script, and fails as networks and servers do. */
export class SimModel extends ModelClient {
  /** Messages with a turn that was too long and may be asked again, cut. */
  private readonly tooLong = new Set<string>();

  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelPiece[]> {
    const { world } = this;
    const reply = replyTo(request.messages.filter((m): m is PromptMessage => m.role !== 'system'));
    await this.wait('model asked', signal);
    const { turn, message, step } = reply;
    const isCut = this.tooLong.has(message);
    const answer = { text: reply.text.join(''), calls: JSON.stringify(reply.toolCalls) };
    const worker = this.owner.name;
    const at = world.store.head;
    const began = momentOf(world);
    world.ledger.asks.push({ worker, began, message, turn, isCut, at, step, ...answer });
    if (strikes(world, 'modelStall')) await stalled(signal);
    if (strikes(world, 'modelRefused')) throw new ModelFailure('refused', 'the model refused');
    if (strikes(world, 'modelTooLong')) {
      this.tooLong.add(message);
      throw new ModelFailure('too_long', TOO_LONG);
    }
    const pieces: ModelPiece[] = [
      ...reply.thinking.map((text) => ({ kind: 'thinking', text }) as const),
      ...reply.text.map((text) => ({ kind: 'text', text }) as const),
      endOf(reply),
    ];
    while (pieces.length > 0) {
      await this.wait('model writes', signal);
      this.breakNow();
      if (strikes(world, 'modelCut')) return;
      const written = pieces.splice(0, 1 + world.tape.choose(3));
      if (pieces.length === 0) this.tooLong.delete(message);
      yield written;
    }
  }

  private breakNow(): void {
    if (!strikes(this.world, 'modelTransient')) return;
    const wait = this.world.tape.choose(4) === 3 ? { retryAfterMs: 8000 } : {};
    throw new ModelFailure('transient', 'the model is overloaded', wait);
  }

  private wait(label: string, signal: AbortSignal): Promise<void> {
    return cancellable(this.world, this.owner, label, signal);
  }
}

export const TOO_LONG = 'the context is too long';

/** A step that the signal ends: at once, or a while later. */
export function cancellable(
  world: SimWorld,
  owner: Owner,
  label: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const reasonOf = () => signal.reason as Error;
    if (signal.aborted) return reject(reasonOf());
    const abort = () => {
      cancel();
      if (!strikes(world, 'abortLate')) return reject(reasonOf());
      world.scheduler.after(owner, 1 + world.tape.choose(2000), `late end of ${label}`, () =>
        reject(reasonOf()),
      );
    };
    const cancel = world.scheduler.after(owner, latency(world), label, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}

/** Never answers. */
export const stalled = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
  });
