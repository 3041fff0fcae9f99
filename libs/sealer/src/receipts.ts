import { type Revision, type RunId, type SessionId, isEndType, sessionStream } from '#domain';
import { type EventLog, hashOfEvent, eventAt } from '#event-log';
import { fromHex, receiptText, toBase64, utf8 } from '#proof';
import type { LogKeys } from './log-keys.js';
import type { Stop } from './seal.js';
import { sealingStopped } from './sealing-stopped.js';

/** The end of a run. */
export interface RunEnd {
  readonly session: SessionId;
  readonly run: RunId;
  /** Of its last event. */
  readonly revision: Revision;
}

/**
 * Signs that a run ended as it did, at its place in its stream. What it makes is a function of log and keys, the same each
 * time: nothing is stored.
 */
export class Receipts {
  constructor(
    private readonly log: EventLog,
    private readonly keys: LogKeys,
    /** Why nothing is signed now; null: it is. */
    private readonly stopped: () => Pick<Stop, 'reason'> | null = () => null,
  ) {}

  /** The signed note; null: there is no such end, or it is erased. @throws LogUnavailable, Problem sealing_stopped */
  async note({ session, run, revision }: RunEnd): Promise<string | null> {
    const stop = this.stopped();
    if (stop !== null) throw sealingStopped(stop);
    const stream = sessionStream(session);
    const event = await eventAt(this.log, stream, revision, { isRaw: true });
    if (event?.meta.run !== run || !isEndType(event.type)) return null;
    if (event.raw === undefined || event.isErased === true) return null;
    const { origin } = this.keys;
    const hash = fromHex(hashOfEvent(event, event.raw))!;
    return this.keys.sign(receiptText({ origin, stream, run, revision, hash, time: event.time }));
  }

  /** As a header carries it; null: there is none to be had now. @throws LogUnavailable */
  async header(end: RunEnd): Promise<string | null> {
    if (this.stopped() !== null) return null;
    const note = await this.note(end);
    return note === null ? null : toBase64(utf8(note));
  }
}
