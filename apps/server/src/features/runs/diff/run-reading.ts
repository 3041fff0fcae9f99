import {
  type RunId,
  type SessionId,
  isEndType,
  knownSessionEvent,
  lengthOf,
  lengthOfAll,
  notFound,
  sessionStream,
} from '#domain';
import { type RunTurn, TurnsFold } from '#projections';
import type { EventLog, RecordedEvent } from '#event-log';

/** A run, and the revision of its `run_requested`. */
export interface RunToRead {
  readonly run: RunId;
  readonly session: SessionId;
  readonly before: number;
}

/** Reads the turns of a run from the log, one at a time. Owns the turn that came last and what was read behind it. */
export class RunReading {
  /** The turn that is being looked at; null: there is none any more. */
  turn: RunTurn | null = null;
  readonly fold = new TurnsFold();
  private pageChars = 0;
  private readonly turns: AsyncGenerator<RunTurn, void>;

  /** @param grown called when there is more in memory than before */
  constructor(
    private readonly log: EventLog,
    readonly of: RunToRead,
    private readonly grown: () => Promise<void>,
  ) {
    this.turns = this.read();
  }

  /** What it holds: characters of texts, bytes of files. */
  get weight(): number {
    const { response = [], calls = [] } = this.turn ?? {};
    const called = calls.reduce((sum, call) => sum + lengthOf(call.arguments), 0);
    return this.pageChars + this.fold.weight + lengthOfAll(response) + called;
  }

  /** Goes on to the next turn. @throws Problem not_found: the session is erased; LogUnavailable; what `grown` throws */
  async next(): Promise<void> {
    this.turn = null;
    const { value, done } = await this.turns.next();
    if (done !== true) this.turn = value;
  }

  async close(): Promise<void> {
    await this.turns.return();
  }

  private async *read(): AsyncGenerator<RunTurn, void> {
    const { run, session, before } = this.of;
    reading: for await (const page of this.log.readStream(sessionStream(session), { after: before })) {
      this.pageChars = Math.max(this.pageChars, charsOf(page));
      for (const event of page) {
        if (event.isErased === true || event.type === 'session_erased') throw notFound('the run');
        if (event.meta.run !== run) continue;
        const known = knownSessionEvent(event);
        const turn = known === null ? null : this.fold.push(known);
        if (turn !== null) yield turn;
        if (isEndType(event.type)) break reading;
      }
      await this.grown();
    }
    const last = this.fold.finish();
    if (last !== null) yield last;
  }
}

const charsOf = (page: readonly RecordedEvent[]): number =>
  page.reduce((sum, { json }) => sum + json.length, 0);
