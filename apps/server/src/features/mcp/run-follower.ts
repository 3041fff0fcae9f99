import { Injectable } from '@nestjs/common';
import { sessionStream } from '#domain';
import { EventLog, type RecordedEvent } from '#event-log';
import { Clock } from '#platform';
import { OpenStreams } from '../../edge/answers/socket-sink.js';
import { type RunPlace, RunReading } from './run-reading.js';

export interface Following {
  /** How long to wait for the run's end; 0: what there is now. */
  readonly waitMs: number;
  /** A run that waits for somebody is waited for, too. */
  readonly waitsForPeople?: boolean;
  /** Ends the wait. */
  readonly gone: AbortSignal;
  /** Told of each public event, in order. */
  readonly tell?: (type: string) => Promise<void>;
}

/** Reads runs from the log, on whichever replica, and waits for their ends. */
@Injectable()
export class RunFollower {
  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly open: OpenStreams,
  ) {}

  /** ms since 1970 */
  now(): number {
    return this.clock.now();
  }

  /**
   * The run as far as it has come when it ends, waits for somebody, or the time is over; a stop of the service ends the wait,
   * too.
   * @throws Problem not_found: erased; LogUnavailable
   */
  async follow(place: RunPlace, { waitMs, waitsForPeople, gone, tell }: Following): Promise<RunReading> {
    const reading = new RunReading(place);
    const stream = sessionStream(place.session);
    const isDone = (): boolean =>
      reading.isOver || (reading.waitsForSomebody && waitsForPeople !== true) || waitMs === 0;
    let after = place.before - 1;
    // Whatever ends the wait: what there is now is known.
    for await (const page of this.log.readStream(stream, { after })) {
      await take(reading, page, tell);
      after = page.at(-1)?.revision ?? after;
      if (reading.isOver) break;
    }
    if (isDone()) return reading;
    const deadline = this.clock.deadline(waitMs, AbortSignal.any([gone, this.open.ending]));
    const { signal } = deadline;
    try {
      for await (const events of this.log.subscribeStream(stream, { after, signal })) {
        await take(reading, events, tell);
        if (isDone()) break;
      }
      return reading;
    } finally {
      deadline[Symbol.dispose]();
    }
  }
}

async function take(
  reading: RunReading,
  events: readonly RecordedEvent[],
  tell: Following['tell'],
): Promise<void> {
  for (const event of events) {
    const type = reading.push(event);
    if (type !== null) await tell?.(type);
    if (reading.isOver && type !== null) return;
  }
}
