import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { Problem, knownSessionEvent, sessionStream } from '#domain';
import { EventLog, eventAt } from '#event-log';
import { responseId } from '#openai-face';
import { Clock } from '#platform';
import { RunQueries } from '#read-models';
import { RunRequests } from '../../runs/shared/run-requests.js';
import { FaceEvents } from '../reading/face-events.js';
import type { FoundResponse } from '../reading/response-reading.js';
import type { SentResponse } from './sent-response.js';

/** A client repeats by itself what it has asked for within so long. */
const REPEATED_MS = 3_600_000;
/** Requests that are kept in memory; of others the log knows. */
const KEPT = 10_000;
/** Runs that are looked at on the log, the newest first. */
const LOOKED_AT = 400;

type Place = Omit<FoundResponse, 'id'>;

/** Knows which runs were started by which requests, for clients that repeat a request whose answer they have lost. */
@Injectable()
export class Repeats {
  /** By key and payload, in the order in which they came. */
  private readonly kept = new Map<string, { readonly found: Place; readonly at: number }>();

  constructor(
    private readonly runs: RunQueries,
    private readonly events: FaceEvents,
    private readonly log: EventLog,
    private readonly clock: Clock,
    private readonly requests: RunRequests,
  ) {}

  note({ keyId }: Principal, payload: string, found: Place): void {
    const name = `${keyId} ${payload}`;
    this.kept.delete(name);
    this.kept.set(name, { found, at: this.clock.now() });
    for (const [oldest] of this.kept) {
      if (this.kept.size <= KEPT) break;
      this.kept.delete(oldest);
    }
  }

  /** The newest that the same key has started by the same payload; null: none, too long ago, or it is erased or deleted. */
  async find(caller: Principal, payload: string): Promise<Place | null> {
    const from = this.clock.now() - REPEATED_MS;
    const known = this.kept.get(`${caller.keyId} ${payload}`);
    if (known !== undefined && known.at >= from) return ifFound(() => this.shown(known.found));
    const { project } = caller;
    for await (const page of this.runs.list({ project, from, limit: LOOKED_AT }))
      for (const { run_id: run, actor } of page) {
        if (actor !== caller.keyId) continue;
        const place = await ifFound(() => this.events.place(project, run));
        if (place === null || (await this.payloadOf(place)) !== payload) continue;
        return ifFound(() => this.shown({ place, passage: 1 }));
      }
    return null;
  }

  /**
   * Whether the key has started a run, which is on the log: then nothing else of the request is looked at. @throws Problem not_found:
   * its response was deleted
   */
  async isKnown({ project }: Principal, { key, operation }: SentResponse): Promise<boolean> {
    const run = key === undefined ? null : await this.requests.runOfKey(project, key, operation);
    const place = run && (await ifFound(() => this.events.place(project, run)));
    if (place === null) return false;
    await this.shown({ place, passage: 1 });
    return true;
  }

  /** @throws Problem not_found: nobody can read it any more */
  private async shown(found: Place): Promise<Place> {
    await this.events.requireShown(found.place, responseId(found.place.run, found.passage));
    return found;
  }

  private async payloadOf({ session, before, run }: Place['place']): Promise<string | null> {
    const event = await eventAt(this.log, sessionStream(session), before + 1);
    const known = event?.meta.run === run ? knownSessionEvent(event) : null;
    return known?.type === 'response_requested' ? (known.data.payload ?? null) : null;
  }
}

/** null: it is not there. */
async function ifFound<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Problem && error.code === 'not_found') return null;
    throw error;
  }
}

/** Whether the client says that it sends the request again by itself. */
export function isRepeat({ headers }: FastifyRequest): boolean {
  const count = headers['x-stainless-retry-count'];
  return typeof count === 'string' && /^[1-9]\d{0,5}$/.test(count);
}
