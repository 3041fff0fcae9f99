import { Inject, Injectable } from '@nestjs/common';
import {
  Problem,
  isEndType,
  notFound,
  sessionOfRun,
  sessionStream,
  type ProjectId,
  type RunId,
  type SessionId,
} from '#domain';
import { EventLog } from '#event-log';
import { RunQueries } from '#read-models';
import { Sessions } from '#runs';
import type { EventsPlace } from './event-answers.js';

/** Events at the end of a session's stream among which a run is looked for that the lists do not know yet. */
const NEWEST = 5_000;

/** Finds where a run's events stand: from what this process knows of the session, otherwise from the lists. */
@Injectable()
export class RunPlaces {
  constructor(
    private readonly sessions: Sessions,
    @Inject(RunQueries) private readonly runs: Pick<RunQueries, 'place'>,
    private readonly log: EventLog,
  ) {}

  /** @throws Problem not_found; LogUnavailable, ReadModelsUnavailable */
  async find(project: ProjectId, run: RunId): Promise<EventsPlace> {
    const id = sessionOfRun(run);
    if (id === null) throw notFound('the run');
    const { state } = (await this.sessions.require(project, id)).journal;
    const known =
      state.current?.run === run ? state.current : state.waiting.find((waiting) => waiting.run === run);
    if (known) return { session: id, run, before: known.requested, lastId: null };
    try {
      const place = await this.runs.place(project, run);
      return { session: id, run, before: place.requested, lastId: place.lastEventId };
    } catch (error) {
      const isUnknown = error instanceof Problem && error.code === 'not_found';
      const found = isUnknown ? await this.search(id, run) : null;
      if (found === null) throw error;
      return found;
    }
  }

  /** The lists may be late, e.g. while another replica takes their filling over; the log is not. */
  private async search(session: SessionId, run: RunId): Promise<EventsPlace | null> {
    const options = { backwards: true, limit: NEWEST };
    let lastId: number | null = null;
    for await (const page of this.log.readStream(sessionStream(session), options))
      for (const { type, meta, revision } of page) {
        if (meta.run !== run) continue;
        if (isEndType(type)) lastId = revision;
        if (type === 'run_requested') return { session, run, before: revision, lastId };
      }
    return null;
  }
}
