import { Injectable } from '@nestjs/common';
import type { SessionId } from '#domain';
import { SessionFace } from '#openai-face';
import { FairSemaphore } from '#platform';
import { type Caller, ConversationCommands, EraseSession } from '#runs';
import { LineEvents } from '../reading/line-events.js';
import { ResponseReading } from '../reading/response-reading.js';

/** Deletes responses: with the last one of its session, all of that. */
@Injectable()
export class ResponseDeletion {
  private readonly turns = new FairSemaphore({ room: 2, roomEach: 1 });

  constructor(
    private readonly responses: ResponseReading,
    private readonly lines: LineEvents,
    private readonly commands: ConversationCommands,
    private readonly erasure: EraseSession,
  ) {}

  /** Returns whether its session is erased. @throws Problem not_found; LogUnavailable */
  async delete(id: string, caller: Caller): Promise<boolean> {
    const found = await this.responses.find(caller.project, id);
    await this.responses.read(found);
    const { session } = found.place;
    await this.commands.deleteResponse(session, id, caller);
    // A session is held whole while it is looked at. The response is deleted already, so that nobody is turned away.
    if (!(await this.turns.within(caller.project, () => this.isOfNoUse(session)))) return false;
    await this.erasure.erase(session, caller);
    return true;
  }

  /** Whether nothing is left of it that somebody could ask for, and nobody has made a conversation of it. */
  private async isOfNoUse(session: SessionId): Promise<boolean> {
    const face = new SessionFace();
    for await (const { event, session: of } of this.lines.of(session)) {
      if (of !== session) continue;
      if (event.type === 'conversation_metadata_set' || event.type === 'items_given') return false;
      face.push(event, session);
    }
    return face.passages.every((passage) => face.isDeleted(passage));
  }
}
