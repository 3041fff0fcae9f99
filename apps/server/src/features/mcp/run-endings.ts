import { Injectable } from '@nestjs/common';
import { type RunId } from '#domain';
import { Logger } from '#platform';
import { SessionCommands } from '#runs';
import { RunRequests } from '../runs/shared/run-requests.js';
import type { Exchange } from './exchange.js';

/** Ends the runs of clients who do not want them any more. */
@Injectable()
export class RunEndings {
  constructor(
    private readonly commands: SessionCommands,
    private readonly requests: RunRequests,
    private readonly logger: Logger,
  ) {}

  /** There is nobody left to be told of a fault. */
  async cancel(run: RunId, { caller: { project, keyId: actor }, request }: Exchange): Promise<void> {
    await this.commands.cancel(run, { project, actor }).catch((err: unknown) => {
      this.logger.warn({ err, run, request: request.id }, 'a run whose client has left was not cancelled');
    });
  }

  /** The run of an older client's call, wherever it was made. */
  async cancelOf(key: string, exchange: Exchange): Promise<void> {
    const run = await this.requests.runOfKey(exchange.caller.project, key);
    if (run !== null) await this.cancel(run, exchange);
  }
}
