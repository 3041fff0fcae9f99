import { Injectable } from '@nestjs/common';
import type { RunId } from '#domain';
import { Clock } from '#platform';
import { SessionCommands } from '#runs';
import { RunPlaces } from '../runs/shared/run-places.js';
import type { Exchange } from './exchange.js';
import { RunFollower } from './run-follower.js';
import { RunResults } from './run-results.js';
import { type TaskView, taskView } from './task-views.js';

/** Runs as Tasks: each answer is a read of the log, or a command to it, on whichever replica. */
@Injectable()
export class RunTasks {
  constructor(
    private readonly places: RunPlaces,
    private readonly follower: RunFollower,
    private readonly results: RunResults,
    private readonly commands: SessionCommands,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem not_found; LogUnavailable */
  async get(run: RunId, exchange: Exchange): Promise<TaskView> {
    const { session, before } = await this.places.find(exchange.caller.project, run);
    const reading = await this.follower.follow({ session, run, before }, { waitMs: 0, gone: exchange.gone });
    return taskView(reading, this.clock.now(), () => this.results.of(reading, exchange));
  }

  /** @throws Problem not_found; LogUnavailable */
  async cancel(run: RunId, { caller: { project, keyId: actor } }: Exchange): Promise<object> {
    await this.places.find(project, run);
    await this.commands.cancel(run, { project, actor });
    return {};
  }

  /** Nothing is ever asked of the client. @throws Problem not_found; LogUnavailable */
  async update(run: RunId, { caller: { project } }: Exchange): Promise<object> {
    await this.places.find(project, run);
    return {};
  }
}
