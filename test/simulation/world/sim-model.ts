import { ModelClient, ModelFailure, type ModelPiece, type ModelRequest } from '#agent';
import type { Owner } from '../engine/scheduler.js';
import { endOf, isForSummary, replyTo, summaryOf, type PromptMessage } from './script.js';
import { type SimWorld, latency, momentOf, strikes } from './sim-world.js';

/** The model as one worker reaches it: it answers by the script, and fails as networks and servers do. */
export class SimModel extends ModelClient {
  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
  }

  override async *stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<readonly ModelPiece[]> {
    const { world } = this;
    const told = request.messages.filter((m): m is PromptMessage => m.role !== 'system');
    if (isForSummary(told)) return yield* this.sumUp(told, signal);
    const reply = replyTo(told);
    await this.wait('model asked', signal);
    const { turn, message, step } = reply;
    const answer = { text: reply.text.join(''), calls: JSON.stringify(reply.toolCalls) };
    const worker = this.owner.name;
    const at = world.store.head;
    const began = momentOf(world);
    const said = told.map((m) => JSON.stringify(m));
    world.ledger.asks.push({ worker, began, message, turn, at, step, ...answer, told: said });
    if (strikes(world, 'modelStall')) await stalled(signal);
    if (strikes(world, 'modelRefused')) throw new ModelFailure('refused', 'the model refused');
    if (strikes(world, 'modelTooLong')) throw new ModelFailure('too_long', TOO_LONG);
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
      yield written;
    }
  }

  /** A summary, or what comes instead of one. */
  private async *sumUp(
    told: readonly PromptMessage[],
    signal: AbortSignal,
  ): AsyncIterable<readonly ModelPiece[]> {
    const { world } = this;
    await this.wait('summary asked', signal);
    if (strikes(world, 'modelStall')) await stalled(signal);
    if (strikes(world, 'modelRefused')) throw new ModelFailure('refused', 'the model refused');
    if (strikes(world, 'modelTooLong')) throw new ModelFailure('too_long', TOO_LONG);
    await this.wait('summary written', signal);
    this.breakNow();
    if (strikes(world, 'modelCut')) return;
    const isEmpty = world.parts.long && strikes(world, 'summaryEmpty');
    const isLong = world.parts.long && strikes(world, 'summaryTooLong');
    const text = isEmpty ? '' : summaryOf(told) + (isLong ? '.'.repeat(300) : '');
    world.ledger.summaries.push(text);
    yield [
      { kind: 'text', text },
      { kind: 'end', finishReason: 'stop', toolCalls: [], usage: USAGE },
    ];
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

const USAGE = { inputTokens: 10, outputTokens: 5, estimated: false };

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
