import type { Pool } from 'undici';
import type { Clock } from '#platform';
import type { ModelPiece, OnBroken } from '#agent';
import { AnswerExchange, type Endpoint } from './answer-exchange.js';
import type { ChatBody } from './chat-body.js';
import { failureOfConnection, failureOfStatus } from './failures.js';
import { TurnReader, type TurnReaderOptions } from './turn-reader.js';

/** After the end of an answer its usage follows at once, or never. */
const USAGE_TIMEOUT_MS = 5_000;
const NONE = Buffer.alloc(0);

export interface AskedTurnOptions extends TurnReaderOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How long the answer may be silent. */
  readonly timeoutMs: number;
  /** Hears what an answer has used that does not come to its end. */
  readonly onBroken: OnBroken;
}

/**
 * One request for a turn, and its answer, which is read while it comes. Owns both until `close`.
 *
 * All that throws here throws a ModelFailure, or the reason of the signal once that is aborted.
 */
export class AskedTurn {
  private readonly answer: AnswerExchange;
  private readonly reader: TurnReader;
  private isOver = false;
  private isWhole = false;
  private isTold = false;

  constructor(
    private readonly body: ChatBody,
    private readonly options: AskedTurnOptions,
  ) {
    this.reader = new TurnReader(options);
    this.answer = new AnswerExchange(options);
  }

  /** What the server said of itself, once all of the answer is here; undefined before. */
  get whole(): Pick<TurnReader, 'beginsInside' | 'hasText'> | undefined {
    return this.isWhole ? this.reader : undefined;
  }

  /** Sends the request. Resolves when the answer begins. */
  async open(connections: Pool, endpoint: Promise<Endpoint>): Promise<void> {
    const { answer, body, options } = this;
    try {
      const head = await answer.send(connections, await endpoint, body.json);
      if (head.status < 300) return;
      throw failureOfStatus({ ...head, body: await answer.text() }, options.apiKey, options.clock.now());
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  /** What the model said since the last call, or next; undefined behind its end. */
  async next(): Promise<readonly ModelPiece[] | undefined> {
    try {
      while (!this.isOver) {
        const pieces = await this.read();
        if (pieces.length > 0) return this.withLeftOut(pieces);
      }
      return undefined;
    } catch (error) {
      throw this.failureOf(error);
    }
  }

  /** Nothing of it is read any more; what comes of it still is dropped. */
  close(): void {
    const used = this.isWhole ? null : this.reader.used(this.body.chars);
    if (used !== null) this.options.onBroken(used);
    this.answer.release(this.reader.isDone);
  }

  private async read(): Promise<readonly ModelPiece[]> {
    const { answer, reader, options } = this;
    let pieces: ModelPiece[] = [];
    try {
      const bytes = await answer.next(
        reader.isFinished ? Math.min(USAGE_TIMEOUT_MS, options.timeoutMs) : options.timeoutMs,
      );
      if (bytes === undefined) reader.close();
      pieces = reader.feed(bytes ?? NONE);
      this.isOver = bytes === undefined || reader.isDone;
    } catch (error) {
      // A connection that breaks after the finish reason breaks no answer.
      if (!reader.isFinished) throw error;
      this.isOver = true;
    }
    options.signal.throwIfAborted();
    if (!this.isOver) return pieces;
    const { chars, unseen } = this.body;
    pieces.push(...reader.end(chars).map((piece) => withUnseen(piece, unseen)));
    this.isWhole = true;
    return pieces;
  }

  /** Tells of the tools that were not offered before anything else. */
  private withLeftOut(pieces: readonly ModelPiece[]): readonly ModelPiece[] {
    const { leftOut } = this.body;
    const isTold = this.isTold || leftOut.length === 0;
    this.isTold = true;
    return isTold ? pieces : [{ kind: 'left_out', tools: leftOut }, ...pieces];
  }

  private failureOf(error: unknown): Error {
    this.options.signal.throwIfAborted();
    return failureOfConnection(this.answer.failure ?? error);
  }
}

const withUnseen = (piece: ModelPiece, unseen: readonly string[]): ModelPiece =>
  piece.kind !== 'end' || unseen.length === 0 ? piece : { ...piece, unseen };
