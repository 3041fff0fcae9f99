import {
  type EventLog,
  LogUnavailable,
  NO_EVENTS,
  type Revision,
  appendUntilDefinite,
  newEvent,
} from '#event-log';
import type { Clock, Random } from '#platform';
import { type LoggedSeal, PROOF_META, PROOF_STREAM, proofLogEvent, sealedEventId } from './proof-log.js';

export interface SealLogPorts {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly random: Random;
}

const TRIES = 20;

/** What the log says of the seals of an origin. */
export class SealLog {
  constructor(
    private readonly origin: string,
    private readonly ports: SealLogPorts,
  ) {}

  /** The newest; null: there is none. @throws LogUnavailable */
  async last(): Promise<LoggedSeal | null> {
    return (await this.end()).sealed;
  }

  /** Those behind a number, in their order. @throws LogUnavailable */
  async *after(seal: number): AsyncGenerator<LoggedSeal> {
    let before = seal;
    for await (const page of this.ports.log.readStream(PROOF_STREAM))
      for (const event of page) {
        const read = proofLogEvent(event);
        // Two that wrote the same at the same time are one.
        if (read?.type !== 'log_sealed' || read.data.origin !== this.origin || read.data.seal <= before)
          continue;
        before = read.data.seal;
        yield read.data;
      }
  }

  /** Says it, unless it is said. @throws LogUnavailable */
  async add(sealed: LoggedSeal): Promise<void> {
    const { log, clock, random } = this.ports;
    const id = sealedEventId(this.origin, sealed.seal);
    const made = newEvent({ id, type: 'log_sealed', time: clock.now(), data: sealed }, PROOF_META);
    for (let left = TRIES; left > 0; left -= 1) {
      // Of one reading: a server that is behind is found out by the append.
      const end = await this.end();
      if ((end.sealed?.seal ?? 0) >= sealed.seal) return;
      const expected = end.revision === NO_EVENTS ? 'no_stream' : end.revision;
      const result = await appendUntilDefinite(log, clock, random, PROOF_STREAM, [made], { expected });
      if (result.kind === 'appended') return;
    }
    throw new LogUnavailable(`${PROOF_STREAM} is being written all the time`);
  }

  private async end(): Promise<{ readonly revision: Revision; readonly sealed: LoggedSeal | null }> {
    let revision: Revision = NO_EVENTS;
    for await (const page of this.ports.log.readStream(PROOF_STREAM, { backwards: true }))
      for (const event of page) {
        revision = Math.max(revision, event.revision);
        const read = proofLogEvent(event);
        if (read?.type === 'log_sealed' && read.data.origin === this.origin)
          return { revision, sealed: read.data };
      }
    return { revision, sealed: null };
  }
}
