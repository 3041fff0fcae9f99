import type { Connection } from './connection.js';
import { Deadline } from './deadline.js';
import { ConnectionLost } from './errors.js';
import { Patience } from './patience.js';
import { SseParser, type SseRecord } from './sse.js';
import type { StreamEvent, RecordedEvent } from './types.js';

export interface FollowOptions {
  /** The id of an event: only what comes after it. Absent: from the start. */
  readonly after?: string;
  readonly signal?: AbortSignal | undefined;
}

export const isEnd = ({ type }: StreamEvent): boolean =>
  type === 'agent_completed' || type === 'agent_error' || type === 'agent_cancelled';

/**
 * The events at `path`, each once and in order, over lost connections and restarts of the service, until one that `isLast`
 * or until the service says that nothing is left.
 * @throws AnnalsRefused, AnnalsUnreachable; the signal's reason
 */
export async function* follow(
  connection: Connection,
  path: string,
  { after, signal }: FollowOptions,
  isLast: (event: StreamEvent) => boolean,
): AsyncGenerator<RecordedEvent, void, undefined> {
  const patience = new Patience(connection.patienceMs, signal);
  let lastId = after;
  for (;;) {
    const attempt = new Attempt(connection, patience, signal);
    let failure: unknown = new ConnectionLost('the stream was cut');
    try {
      for await (const { id, data } of attempt.records(path, lastId)) {
        const event = JSON.parse(data) as StreamEvent;
        lastId = id;
        yield { id, data: event };
        if (isLast(event)) return;
      }
      if (attempt.isNothingLeft) return;
    } catch (error) {
      failure = error;
    } finally {
      attempt.close();
    }
    await patience.wait(failure, attempt.retryMs);
  }
}

/** One connection of a stream. */
class Attempt {
  isNothingLeft = false;
  private readonly parser = new SseParser();
  private readonly deadline: Deadline;

  constructor(
    private readonly connection: Connection,
    private readonly patience: Patience,
    signal: AbortSignal | undefined,
  ) {
    this.deadline = new Deadline(connection.quietMs, signal);
  }

  get retryMs(): number | null {
    return this.parser.retryMs;
  }

  async *records(path: string, lastId: string | undefined): AsyncGenerator<SseRecord, void, undefined> {
    const resume = lastId === undefined ? {} : { 'last-event-id': lastId };
    const headers = { accept: 'text/event-stream', ...resume };
    const answer = await this.connection.once('GET', path, { headers, signal: this.deadline.signal });
    this.isNothingLeft = answer.status === 204;
    if (answer.body === null || this.isNothingLeft) return;
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    for (;;) {
      this.deadline.heard();
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new ConnectionLost('the stream was cut', { cause });
      });
      if (done) return;
      // A comment, too, says that the service is there.
      this.patience.renew();
      // However long the caller takes over an event, it is not the service that says nothing.
      this.deadline.rest();
      yield* this.parser.push(decoder.decode(value, { stream: true }));
    }
  }

  close(): void {
    this.deadline.close();
  }
}
