import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { type Content, type RunMetadata, type SessionId } from '#domain';
import { ConversationCommands } from '#runs';
import { idempotencyKeyOf } from '../../../edge/validation/idempotency-key.js';
import { LineEvents } from '../reading/line-events.js';
import { isSameUse, keyedPayload } from './keyed-payload.js';

/** Changes the metadata of conversations, each request's once. */
@Injectable()
export class MetadataChanges {
  constructor(
    private readonly commands: ConversationCommands,
    private readonly lines: LineEvents,
  ) {}

  /** Returns the metadata that the request has set. @throws Problem idempotency_mismatch; LogUnavailable: nothing was changed */
  async set(
    session: SessionId,
    metadata: RunMetadata,
    { project, keyId: actor }: Principal,
    request: FastifyRequest,
  ): Promise<RunMetadata> {
    const key = idempotencyKeyOf(request);
    const payload = key === undefined ? undefined : keyedPayload(project, key, request.body);
    const known = payload === undefined ? null : await this.find(session, payload);
    if (known !== null) return JSON.parse(known as string) as RunMetadata;
    await this.commands.setMetadata(session, metadata, { project, actor }, payload);
    return metadata;
  }

  private async find(session: SessionId, payload: string): Promise<Content | null> {
    let found: Content | null = null;
    for await (const { event, session: of } of this.lines.of(session)) {
      if (of !== session || event.type !== 'conversation_metadata_set') continue;
      if (isSameUse(event.data.payload ?? '', payload)) found = event.data.metadata;
    }
    return found;
  }
}
