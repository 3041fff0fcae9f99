import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { type RecordedSessionEvent, type SessionId } from '#domain';
import { type AskedItem, shownItems } from '#openai-face';
import { Clock } from '#platform';
import { ConversationCommands } from '#runs';
import { idempotencyKeyOf } from '../../../edge/validation/idempotency-key.js';
import { LineEvents } from '../reading/line-events.js';
import { GivenItems } from './given-items.js';
import { isSameUse, keyedPayload } from './keyed-payload.js';
import { isRepeat } from './repeats.js';

/** A client repeats by itself what it has asked for within so long. */
const REPEATED_MS = 3_600_000;

type Added = Extract<RecordedSessionEvent, { type: 'items_given' }>;

/** Adds items to conversations, each request's once. */
@Injectable()
export class AddedItems {
  constructor(
    private readonly items: GivenItems,
    private readonly commands: ConversationCommands,
    private readonly lines: LineEvents,
    private readonly clock: Clock,
  ) {}

  /** Returns the list of what was added. @throws Problem; LogUnavailable: nothing was added */
  async add(
    session: SessionId,
    asked: readonly AskedItem[],
    caller: Principal,
    request: FastifyRequest,
  ): Promise<object> {
    const key = idempotencyKeyOf(request);
    const payload = keyedPayload(caller.project, key, request.body);
    const known =
      key !== undefined || isRepeat(request)
        ? await this.find(session, payload, key !== undefined, caller)
        : null;
    if (known !== null) return listOf(shownItems(known.data.items, session, known.revision));
    const given = await this.items.of(caller.project, asked);
    const at = await this.commands.add(session, given, payload, {
      project: caller.project,
      actor: caller.keyId,
    });
    return listOf(shownItems(given, session, at));
  }

  /** @throws Problem idempotency_mismatch: the key was used for something else */
  private async find(
    session: SessionId,
    payload: string,
    hasKey: boolean,
    { keyId }: Principal,
  ): Promise<Added | null> {
    let found: Added | null = null;
    for await (const { event, session: of } of this.lines.of(session)) {
      if (of !== session || event.type !== 'items_given') continue;
      const before = event.data.payload ?? '';
      const isNew = event.meta.actor === keyId && event.time >= this.clock.now() - REPEATED_MS;
      if (hasKey ? isSameUse(before, payload) : before === payload && isNew) found = event;
    }
    return found;
  }
}

function listOf(data: readonly { readonly id: string }[]): object {
  const [first, last] = [data[0]?.id ?? null, data.at(-1)?.id ?? null];
  return { object: 'list', data, first_id: first, last_id: last, has_more: false };
}
