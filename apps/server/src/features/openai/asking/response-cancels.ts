import { Injectable } from '@nestjs/common';
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
    await responses.read(found);
    await this.commands.cancel(found.place.run, caller);
    const deadline = this.clock.deadline(CANCEL_MS);
    await responses.over(found, deadline.signal).finally(() => deadline[Symbol.dispose]());
    return found;
  }
}
