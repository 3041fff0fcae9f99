import {
  type Fork,
  type Revision,
  type SessionId,
  type SessionMoment,
  decideFork,
  depthOfFork,
  notFound,
  requireMoment,
  requireSession,
  sessionId,
} from '#domain';
import type { Journal } from '#agent';
import type { IdempotencyKeys, IdempotentRequest } from '#access';
import { ContentErased, type EventLog, type EventMeta, NO_EVENTS } from '#event-log';
import type { FairSemaphore, Random } from '#platform';
import type { Caller } from '../session-commands.js';
import type { Sessions } from '../sessions.js';
import { ownPart } from './own-part.js';

export interface ForkWish {
  readonly session: SessionId;
  /** Absent: its last event. */
  readonly at?: Revision;
  readonly title?: string;
  /** The same key and payload again are the same fork. */
  readonly idempotency?: { readonly key: string; readonly payload: unknown };
}

export interface ForkPorts {
  readonly log: EventLog;
  /** For reading whole sessions, by project. */
  readonly turns: FairSemaphore;
  readonly sessions: Sessions;
  readonly keys: IdempotencyKeys;
  readonly random: Random;
}

/** Makes sessions that go on where others were: by reference, nothing of the other is written again. */
export class ForkSession {
  constructor(private readonly ports: ForkPorts) {}

  /**
   * Returns the id of the fork, which is on the log. Its parent's part of it comes first: where this fails in between, the
   * parent names a fork that is not there, and with a key the repeat makes it.
   * @throws Problem not_found, unprocessable, idempotency_mismatch; LogUnavailable
   */
  async fork(wish: ForkWish, caller: Caller): Promise<SessionId> {
    const { sessions } = this.ports;
    const { session: parent, idempotency } = wish;
    await sessions.require(caller.project, parent);
    const request: IdempotentRequest | null =
      idempotency === undefined
        ? null
        : { operation: 'fork_session', project: caller.project, ...idempotency };
    const known = request === null ? null : await this.ports.keys.findResource(request);
    if (known !== null && (await this.isThere(known))) return known;
    return sessions.use(parent, async (session) => {
      const { journal } = session;
      const from = { session: parent, at: wish.at ?? journal.revision };
      requireMoment(from.at, journal.revision);
      const fork = {
        ...(await this.ports.turns.within(caller.project, () => forkAt(this.ports.log, from))),
        ...(wish.title === undefined ? {} : { title: wish.title }),
      };
      const meta: EventMeta = { schemaVersion: 1, ...caller };
      const id = known ?? (await this.idFor(request, meta));
      await announceFork(journal, { session: id, at: from.at }, caller);
      await this.open(id, fork, meta);
      // Whoever erased the parent in between may not have seen the fork: nobody is told of it.
      await session.refresh();
      requireSession(journal.state, caller.project);
      return id;
    });
  }

  /** @throws Problem not_found: it was erased */
  private async isThere(session: SessionId): Promise<boolean> {
    return this.ports.sessions.useOrCreate(session, async ({ journal }) => {
      if (journal.state.isErased) throw notFound('the session');
      return journal.revision !== NO_EVENTS;
    });
  }

  private async idFor(request: IdempotentRequest | null, meta: EventMeta): Promise<SessionId> {
    const { keys, random } = this.ports;
    if (request === null) return sessionId(random.hex(12));
    return keys.useResource(request, meta, sessionId(keys.idFor(request)));
  }

  private async open(id: SessionId, fork: Fork, meta: EventMeta): Promise<void> {
    await this.ports.sessions.useOrCreate(id, ({ journal }) =>
      journal.command(meta, (state) => ({
        // Whoever had the same key was faster.
        events: state.project === null && !state.isErased ? [{ type: 'session_opened', data: fork }] : [],
        value: undefined,
      })),
    );
  }
}

/** What the first event of a fork says. @throws Problem not_found, unprocessable; LogUnavailable */
export async function forkAt(log: EventLog, from: SessionMoment): Promise<Fork> {
  try {
    const { fork, shared, openCalls } = await ownPart(log, from.session, from.at);
    const open = openCalls.length === 0 ? {} : { open_calls: openCalls };
    return { forked_from: from, depth: depthOfFork(fork), shared, ...open };
  } catch (error) {
    throw error instanceof ContentErased ? notFound('the session') : error;
  }
}

/** The parent's part of a fork, which is there before the fork is. @throws Problem not_found, unprocessable; LogUnavailable */
export async function announceFork(
  parent: Journal,
  fork: { readonly session: SessionId; readonly at: Revision },
  caller: Caller,
): Promise<void> {
  await parent.command({ schemaVersion: 1, ...caller }, (state, next) => ({
    events: decideFork(state, caller.project, fork, next - 1),
    value: undefined,
  }));
}
