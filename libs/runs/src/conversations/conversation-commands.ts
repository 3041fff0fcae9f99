import {
  type Draft,
  type GivenItem,
  NO_OPEN_CALLS,
  type Problem,
  type Revision,
  type RunMetadata,
  type SessionId,
  type SessionState,
  requireSession,
  requireShared,
  sessionId,
  uncalled,
} from '#domain';
import type { IdempotencyKeys, IdempotentRequest } from '#access';
import type { Random } from '#platform';
import type { ContentStore } from '#vault';
import type { Caller } from '../session-commands.js';
import type { Sessions } from '../sessions.js';
import { storeItems } from '../start/store-items.js';

export interface ConversationPorts {
  readonly sessions: Sessions;
  readonly contents: ContentStore;
  readonly random: Random;
  readonly keys: IdempotencyKeys;
}

/** What a conversation begins with. */
export interface NewConversation {
  readonly items: readonly GivenItem[];
  readonly metadata: RunMetadata;
  /** Of `Idempotency-Key`: the same key and payload again are the same conversation. */
  readonly idempotency?: { readonly key: string; readonly payload: unknown };
}

/** The commands to sessions that OpenAI's interface has besides runs. */
export class ConversationCommands {
  constructor(private readonly ports: ConversationPorts) {}

  /** Opens a session without a run. @throws Problem idempotency_mismatch, or naming an item; LogUnavailable */
  async open({ items, metadata, idempotency }: NewConversation, caller: Caller): Promise<SessionId> {
    const { sessions, contents, random } = this.ports;
    refuse(uncalled(NO_OPEN_CALLS, items));
    const id = idempotency === undefined ? sessionId(random.hex(12)) : await this.idOf(idempotency, caller);
    return sessions.useOrCreate(id, async (session) => {
      const stored = await storeItems(contents, id, items);
      const text = await contents.storeBeside(id, JSON.stringify(metadata));
      const events: readonly Draft[] = [
        { type: 'session_opened', data: {} },
        { type: 'conversation_metadata_set', data: { metadata: text } },
        ...(stored.length === 0 ? [] : [{ type: 'items_given', data: { items: stored } } as const]),
      ];
      await session.journal.command(metaOf(caller), ({ project, isErased }) => ({
        // A repeat finds it there.
        events: project === null && isErased !== true ? events : [],
        value: undefined,
      }));
      return id;
    });
  }

  /**
   * Returns the revision of the event that holds them. @param payload by which a repeat is known
   * @throws Problem not_found, payload_too_large, or naming an item; LogUnavailable
   */
  async add(
    session: SessionId,
    items: readonly GivenItem[],
    payload: string,
    caller: Caller,
  ): Promise<Revision> {
    const check = ({ openCalls }: SessionState) => refuse(uncalled(openCalls, items));
    // Of what is refused nothing is stored; what came meanwhile is looked at when it is written.
    await this.ports.sessions.use(session, ({ journal }) => check(journal.state));
    const stored = await storeItems(this.ports.contents, session, items);
    return this.append(session, caller, { type: 'items_given', data: { items: stored, payload } }, check);
  }

  /** @param payload by which a repeat with a key is known @throws Problem not_found; LogUnavailable */
  async setMetadata(
    session: SessionId,
    metadata: RunMetadata,
    caller: Caller,
    payload?: string,
  ): Promise<void> {
    const text = await this.ports.contents.storeBeside(session, JSON.stringify(metadata));
    const data = { metadata: text, ...(payload === undefined ? {} : { payload }) };
    await this.append(session, caller, { type: 'conversation_metadata_set', data });
  }

  /** The response is shown no more. @throws Problem not_found; LogUnavailable */
  async deleteResponse(session: SessionId, response: string, caller: Caller): Promise<void> {
    await this.append(session, caller, { type: 'response_deleted', data: { response } });
  }

  private append(
    session: SessionId,
    caller: Caller,
    event: Draft,
    check: (state: SessionState) => void = () => undefined,
  ): Promise<Revision> {
    const decide = (state: SessionState, next: Revision) => {
      requireSession(state, caller.project);
      if (event.type !== 'response_deleted') requireShared(state);
      check(state);
      return { events: [event], value: next };
    };
    return this.ports.sessions.use(session, ({ journal }) => journal.command(metaOf(caller), decide));
  }

  private async idOf(
    { key, payload }: NonNullable<NewConversation['idempotency']>,
    caller: Caller,
  ): Promise<SessionId> {
    const { keys } = this.ports;
    const { project } = caller;
    const request: IdempotentRequest = { operation: 'create_conversation', project, key, payload };
    const known = await keys.findResource(request);
    return known ?? keys.useResource(request, metaOf(caller), sessionId(keys.idFor(request)));
  }
}

function refuse(problem: Problem | null): void {
  if (problem !== null) throw problem;
}

const metaOf = ({ project, actor }: Caller) => ({ schemaVersion: 1, project, actor });
