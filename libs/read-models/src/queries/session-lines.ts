import {
  type Content,
  type Fork,
  Problem,
  type Revision,
  type SessionId,
  type SessionMoment,
  asSessionEvent,
  forkOf,
  isFileRef,
  knownSessionEvent,
  sessionStream,
} from '#domain';
import { type Inherited, NOTHING_INHERITED, titleOf } from '#projections';
import { type EventLog, LogUnavailable, eventAt } from '#event-log';
import { type Weigh, unweighed } from '#platform';
import { type ContentStore, FileMissing } from '#vault';

/** What a session shares with a fork, directly or through others. */
export interface InheritedPart extends SessionMoment {
  /** Of the session, as forks count. */
  readonly depth: number;
  readonly messages: number;
  readonly titleAt: Revision | null;
  readonly isCleared: boolean;
  /** As whoever forked the session called it. */
  readonly title?: Content;
}

/** Sessions of which it is known what they were forked from. */
const MOST_KNOWN = 20_000;

/**
 * What sessions were forked from, as the first event of each says: it never changes, but it goes where a session is erased.
 * Owns what was read of it.
 */
export class SessionLines {
  private readonly openingsKnown = new Map<SessionId, Fork | null>();
  private erasures = 0;

  constructor(
    private readonly log: EventLog,
    private readonly content: ContentStore,
  ) {}

  /**
   * What stands in the history of a fork before its own part, the last of it first; nothing of what lies behind an erased
   * session. @param known openings that were read already @throws LogUnavailable
   */
  async partsOf(session: SessionId, known: Openings = this.openings()): Promise<readonly InheritedPart[]> {
    const parts: InheritedPart[] = [];
    let fork = await known.of(session);
    while (fork !== null && fork !== 'erased') {
      const { forked_from: from, shared, depth } = fork;
      const before = await known.of(from.session);
      if (before === 'erased') break;
      const { messages, title_at: titleAt = null, cleared: isCleared = false } = shared;
      const title = before?.title === undefined ? {} : { title: before.title };
      parts.push({ ...from, depth: depth - 1, messages, titleAt, isCleared, ...title });
      fork = shared.goes_on ? before : null;
    }
    return parts;
  }

  /**
   * What forks show of it in lists. @param hasHistory it stands in their history: they were not cleared
   * @throws LogUnavailable
   */
  async inherited(
    session: SessionId,
    hasHistory: boolean,
    { known = this.openings(), weigh = unweighed }: { known?: Openings; weigh?: Weigh } = {},
  ): Promise<Inherited> {
    const fork = await known.of(session);
    if (fork === null || fork === 'erased') return NOTHING_INHERITED;
    const parts = hasHistory ? await this.partsOf(session, known) : [];
    const messages = parts.reduce((sum, part) => sum + part.messages, 0);
    if (fork.title !== undefined) return { messages, title: await this.titleOf(session, fork.title, weigh) };
    const called = parts.find((part) => part.title !== undefined);
    if (called?.title !== undefined)
      return { messages, title: await this.titleOf(called.session, called.title, weigh) };
    const titled = parts.findLast((part) => part.titleAt !== null);
    return { messages, title: titled === undefined ? null : await this.titleIn(titled, weigh) };
  }

  async isFork(session: SessionId): Promise<boolean> {
    const fork = await this.openings().of(session);
    return fork !== null && fork !== 'erased';
  }

  openings(): Openings {
    return new Openings((session) => this.openingOf(session));
  }

  /** It is erased. */
  forget(session: SessionId): void {
    this.openingsKnown.delete(session);
    this.erasures += 1;
  }

  /** What to throw where parts could not be read: one that is erased since then is known no more when it is asked again. */
  changed(parts: readonly Pick<SessionMoment, 'session'>[], error: unknown): unknown {
    if (!(error instanceof Problem && error.code === 'not_found')) return error;
    for (const { session } of parts) this.forget(session);
    return new LogUnavailable('the history changed while it was read');
  }

  private async openingOf(session: SessionId): Promise<Opening> {
    const known = this.openingsKnown.get(session);
    if (known !== undefined) return known;
    const { erasures } = this;
    const read = await openingIn(this.log, session);
    if (read === undefined) return null;
    // What was read before an erasure may be what it erased.
    if (erasures !== this.erasures) return read;
    if (this.openingsKnown.size >= MOST_KNOWN) this.openingsKnown.clear();
    if (read !== 'erased') this.openingsKnown.set(session, read);
    return read;
  }

  private async titleIn({ session, titleAt }: InheritedPart, weigh: Weigh): Promise<string | null> {
    const recorded = await eventAt(this.log, sessionStream(session), titleAt ?? 0);
    const event = recorded === undefined ? null : knownSessionEvent(recorded);
    if (event?.type === 'run_requested') return this.titleOf(session, event.data.message, weigh);
    if (event?.type === 'agent_steered') return this.titleOf(session, event.data.content, weigh);
    return null;
  }

  /** The beginning of a message; null: its file is gone. */
  async titleOf(session: SessionId, content: Content, weigh: Weigh): Promise<string | null> {
    if (!isFileRef(content)) return titleOf(content);
    await weigh(content.bytes);
    try {
      return titleOf(await this.content.text(session, content));
    } catch (error) {
      if (error instanceof FileMissing) return null;
      throw error;
    }
  }
}

/** What the first event of a session says; null: it is no fork. */
type Opening = Fork | 'erased' | null;

/** What the first events of sessions say, each read once. For one answer: it does not hear of erasures. */
export class Openings {
  private readonly read = new Map<SessionId, Promise<Opening>>();

  constructor(private readonly open: (session: SessionId) => Promise<Opening>) {}

  of(session: SessionId): Promise<Opening> {
    const read = this.read.get(session) ?? this.open(session);
    this.read.set(session, read);
    return read;
  }
}

/** undefined: there is no event yet. */
async function openingIn(log: EventLog, session: SessionId): Promise<Opening | undefined> {
  const first = await eventAt(log, sessionStream(session), 0);
  if (first === undefined) return undefined;
  if (first.isErased || first.type === 'session_erased') return 'erased';
  const opened = asSessionEvent(first);
  return opened.type === 'session_opened' ? forkOf(opened.data) : null;
}
