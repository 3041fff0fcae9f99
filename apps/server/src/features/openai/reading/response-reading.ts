import { Injectable } from '@nestjs/common';
import type { ClientSink } from '#delivery';
import { type ProjectId, type SessionId, notFound } from '#domain';
import {
  type Hear,
  type Passage,
  RunFace,
  type StreamEvent,
  placeOfResponse,
  responseOf,
} from '#openai-face';
import type { Weigh } from '#platform';
import { summed } from './event-texts.js';
import { FaceEvents, type FacePlace } from './face-events.js';
import { streamRecord } from './stream-record.js';

/** A response that is there. */
export interface FoundResponse {
  readonly id: string;
  readonly place: FacePlace;
  readonly passage: number;
}

const WRITE_CHARS = 64 * 1024;
export const DONE = 'data: [DONE]\n\n';
const UNKNOWN = (): Error => notFound('the response');

/** Reads responses from the log. */
@Injectable()
export class ResponseReading {
  /** Clients that follow a response now, by session. */
  private readonly followers = new Map<SessionId, number>();

  constructor(private readonly events: FaceEvents) {}

  isFollowed(session: SessionId): boolean {
    return this.followers.has(session);
  }

  /** While the work goes on, what is not stored is still read. */
  async following<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    const { followers } = this;
    followers.set(session, (followers.get(session) ?? 0) + 1);
    try {
      return await work();
    } finally {
      const left = (followers.get(session) ?? 1) - 1;
      if (left > 0) followers.set(session, left);
      else followers.delete(session);
    }
  }

  /** @throws Problem not_found; LogUnavailable, ReadModelsUnavailable */
  async find(project: ProjectId, id: string): Promise<FoundResponse> {
    const found = placeOfResponse(id);
    if (found === null) throw UNKNOWN();
    const place = await this.events.place(project, found.run).catch(asResponse);
    await this.events.requireShown(place, id);
    return { id, place, passage: found.passage };
  }

  /** @throws Problem not_found: somebody has deleted it; LogUnavailable */
  requireShown(place: FacePlace, id: string): Promise<void> {
    return this.events.requireShown(place, id);
  }

  /** As it is now. @throws Problem not_found; what `weigh` throws */
  async read({ place, passage: number }: FoundResponse, weigh?: Weigh): Promise<Passage> {
    const face = await this.faceOf({ place, passage: number }, weigh);
    const passage = face.passages[number - 1];
    if (passage === undefined) throw UNKNOWN();
    return passage;
  }

  /** Its run, as far as it is known when the passage has ended. @throws as `read` */
  async faceOf({ place, passage }: Omit<FoundResponse, 'id'>, weigh?: Weigh): Promise<RunFace> {
    const face = new RunFace(place.session);
    for await (const event of this.events.recorded(place, summed(weigh))) {
      face.push(event);
      if (isOver(face, place, passage)) break;
    }
    return face;
  }

  /** Its run, as far as the log holds it. @throws as `read` */
  async wholeRun(place: FacePlace): Promise<RunFace> {
    const face = new RunFace(place.session);
    for await (const event of this.events.recorded(place)) face.push(event);
    return face;
  }

  /** Resolves with the passage when it has ended; null: the signal was aborted before. @throws Problem not_found */
  async ended({ place, passage }: Omit<FoundResponse, 'id'>, signal: AbortSignal): Promise<Passage | null> {
    const face = new RunFace(place.session);
    for await (const events of this.events.followed(place, signal))
      for (const event of events) {
        face.push(event);
        if (isOver(face, place, passage)) return face.passages[passage - 1] ?? null;
      }
    return null;
  }

  /** Resolves when its run has ended, or the signal is aborted. */
  async over({ place }: FoundResponse, signal: AbortSignal): Promise<void> {
    const events = this.events.followed(place, signal);
    for (let next = await events.next(); next.done !== true;) next = await events.next();
  }

  /** Sends its stream behind the record of a number (-1: all of it), and what comes. Resolves when it is on its way. */
  send(found: Omit<FoundResponse, 'id'>, after: number, sink: ClientSink): Promise<void> {
    return this.following(found.place.session, () => this.sendOn(found, after, sink));
  }

  private async sendOn(
    { place, passage }: Omit<FoundResponse, 'id'>,
    after: number,
    sink: ClientSink,
  ): Promise<void> {
    let text = '';
    const hear: Hear = (event: StreamEvent) => {
      if (event.sequence_number > after) text += streamRecord(event);
    };
    const face = new RunFace(place.session, (number, run) =>
      number === passage && run === place.run ? hear : null,
    );
    let isAtEnd = false;
    for await (const events of this.events.followed(place, sink.gone)) {
      for (const event of events) {
        if (isAtEnd) break;
        face.push(event);
        isAtEnd = isOver(face, place, passage);
        if (text.length < WRITE_CHARS || isAtEnd) continue;
        const leaving = sink.write(text);
        text = '';
        if (leaving) await leaving;
      }
      if (isAtEnd) return sink.end(text + DONE);
      if (text === '') continue;
      const leaving = sink.write(text);
      text = '';
      if (leaving) await leaving;
    }
    sink.end(text);
  }

  /** The JSON text of a response. @throws as `read` */
  async json(found: FoundResponse, weigh?: Weigh): Promise<string> {
    return JSON.stringify(responseOf(await this.read(found, weigh)));
  }
}

/**
 * Whether nothing more comes of a passage; of one that is not there, that its run has ended without it. Passages of a run that
 * this one goes on with come first, and are others.
 */
function isOver({ passages, current, hasEnded }: RunFace, { run }: FacePlace, passage: number): boolean {
  if (current !== null && current.beginning.run !== run) return false;
  const found = passages[passage - 1];
  return found === undefined ? hasEnded : found.end !== null;
}

/** Whether there is such a run or session, nobody learns who asks for a response. */
function asResponse(error: unknown): never {
  throw (error as { readonly code?: string }).code === 'not_found' ? UNKNOWN() : error;
}
