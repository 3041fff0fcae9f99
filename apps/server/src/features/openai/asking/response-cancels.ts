import { Injectable } from '@nestjs/common';
import { notFound } from '#domain';
import { Clock } from '#platform';
import { type Caller, SessionCommands } from '#runs';
import { type FoundResponse, ResponseReading } from '../reading/response-reading.js';

/** A cancel is answered when the end is on the log, or after so long. */
const CANCEL_MS = 3_000;

/** Ends the runs of responses early. */
@Injectable()
export class ResponseCancels {
  constructor(
    private readonly responses: ResponseReading,
    private readonly commands: SessionCommands,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem not_found; LogUnavailable */
  async cancel(id: string, caller: Caller): Promise<FoundResponse> {
    const { responses } = this;
    const found = await responses.find(caller.project, id);
    const face = await responses.wholeRun(found.place);
    if (face.passages[found.passage - 1] === undefined) throw notFound('the response');
    // One that waited, and was decided on, has ended: what its run says since then is another one.
    if (face.hasEnded || face.passages.length > found.passage) return found;
    await this.commands.cancel(found.place.run, caller);
    const deadline = this.clock.deadline(CANCEL_MS);
    await responses.over(found, deadline.signal).finally(() => deadline[Symbol.dispose]());
    return found;
  }
}
