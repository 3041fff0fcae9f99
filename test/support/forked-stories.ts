import {
  type Fork,
  type RecordedSessionEvent,
  type Revision,
  type SessionId,
  asSessionEvent,
  sessionStream,
} from '#domain';
import { type SessionView, asOf, titleOf } from '#projections';
import { type EventLog, collect } from '#event-log';
import type { MessageView } from '#read-models';
import { ownPart } from '../../libs/runs/src/fork/own-part.js';
import { historyOnLog } from './log-history.js';
import { Story } from './read-models-stories.js';

interface Branch {
  readonly story: Story;
  readonly parent: Branch | null;
  readonly fork: Fork | null;
  isErased: boolean;
}

/** What is told of a session, of its events and those of what it was forked from, by the sentences that promise it. */
export interface Told {
  readonly messages: readonly MessageView[];
  readonly view: Pick<SessionView, 'title' | 'message_count' | 'forked_from'>;
  readonly context: unknown;
}

/** Sessions of random events, some of them forks of others. Owns who is whose fork. */
export class ForkedStories {
  private readonly branches: Branch[] = [];

  constructor(
    private readonly log: EventLog,
    private readonly pick: (below: number) => number,
  ) {}

  get sessions(): readonly SessionId[] {
    return this.branches.filter(({ isErased }) => !isErased).map(({ story }) => story.session);
  }

  get forks(): readonly SessionId[] {
    return this.sessions.filter((session) => this.branchOf(session).parent !== null);
  }

  /** One session more that is no fork. */
  async begin(): Promise<void> {
    await this.add({ story: new Story(this.log, this.pick), parent: null, fork: null, isErased: false });
  }

  /** Something happens in one of them. */
  async next(): Promise<void> {
    await this.branchOf(this.sessions[this.pick(this.sessions.length)]!).story.next();
  }

  /** One more is forked, of any session and event, or of the newest fork, so that lines get long. */
  async fork(isDeep = false): Promise<void> {
    const { sessions } = this;
    const parent = this.branchOf((isDeep ? sessions.at(-1) : sessions[this.pick(sessions.length)])!);
    const { session } = parent.story;
    const { length } = await this.eventsOf(session);
    const at = isDeep ? length - 1 - this.pick(Math.min(length, 4)) : this.pick(length);
    const { shared } = await ownPart(this.log, session, at);
    const depth = (parent.fork?.depth ?? 0) + 1;
    const title = this.pick(4) === 0 ? { title: `called ${this.branches.length}` } : {};
    const fork = { forked_from: { session, at }, depth, shared, ...title };
    const story = new Story(this.log, this.pick, fork);
    await parent.story.note({ type: 'session_forked', data: { session: story.session, at } });
    await this.add({ story, parent, fork, isErased: false });
  }

  clear(session: SessionId): Promise<void> {
    return this.branchOf(session).story.note({ type: 'messages_cleared', data: {} });
  }

  /** What an erasure writes. @returns the key to destroy */
  async erase(session: SessionId): Promise<string> {
    const branch = this.branchOf(session);
    const [first, ...more] = await collect(this.log.readStream(sessionStream(session)));
    const key = first?.meta.keyId ?? '';
    await branch.story.note({ type: 'session_erased', data: { events: more.length + 1, key } });
    branch.isErased = true;
    return key;
  }

  async eventsOf(session: SessionId): Promise<readonly RecordedSessionEvent[]> {
    return (await collect(this.log.readStream(sessionStream(session)))).map(asSessionEvent);
  }

  /** @param at absent: as it is now */
  async told(session: SessionId, at?: Revision): Promise<Told> {
    const branch = this.branchOf(session);
    const inherited = await this.lineBefore(branch);
    const own = (await this.eventsOf(session)).slice(0, at === undefined ? undefined : at + 1);
    const { context } = asOf(session, own, Infinity, inherited);
    const messages = historyOnLog([...inherited, ...own]).map(({ type, pieces }) => ({
      type,
      content: pieces.map(String).join(''),
    }));
    const { forked_from: from } = branch.fork ?? {};
    const forked_from = from === undefined ? null : { session: from.session, at: String(from.at) };
    const view = { title: await this.titleOf(branch, own), message_count: messages.length, forked_from };
    return { messages, view, context };
  }

  private async add(branch: Branch): Promise<void> {
    this.branches.push(branch);
    await branch.story.next();
  }

  private branchOf(session: SessionId): Branch {
    const branch = this.branches.find(({ story }) => story.session === session);
    if (branch === undefined) throw new Error(`there is no ${session}`);
    return branch;
  }

  private async lineBefore({ parent, fork }: Branch): Promise<readonly RecordedSessionEvent[]> {
    if (parent === null || fork === null || parent.isErased) return [];
    const own = (await this.eventsOf(parent.story.session)).slice(0, fork.forked_from.at + 1);
    return [...(await this.lineBefore(parent)), ...own];
  }

  /** As whoever forked it called it; else as its parent was called then, if that stands in its history; else its own. */
  private async titleOf(
    { story, parent, fork }: Branch,
    own: readonly RecordedSessionEvent[],
  ): Promise<string | null> {
    if (fork?.title !== undefined) return titleOf(fork.title as string);
    const isCleared = own.some(({ type }) => type === 'messages_cleared');
    if (parent !== null && fork !== null && !parent.isErased && !isCleared) {
      const then = (await this.eventsOf(parent.story.session)).slice(0, fork.forked_from.at + 1);
      const inherited = await this.titleOf(parent, then);
      if (inherited !== null) return inherited;
    }
    const from = asOf(story.session, own).summary?.titleFrom ?? null;
    return from === null ? null : titleOf(from.message as string);
  }
}
