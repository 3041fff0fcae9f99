import { notFound, requireSession, sessionOfRun } from '#domain';
import { Runs } from '#read-models';
import { Sessions } from '#runs';
import type { EventsPlace } from './event-answers.js';

/** Finds where a run's events stand: from what this process knows of the session, otherwise from the lists. */
export class RunPlaces {
  constructor(
    private readonly sessions: Sessions,
    private readonly runs: Runs,
  ) {}

  /** @throws Problem not_found; LogUnavailable, ReadModelsUnavailable */
  async find(project: string, run: string): Promise<EventsPlace> {
    const id = sessionOfRun(run);
    if (id === null) throw notFound('the run');
    const { state } = (await this.sessions.get(id)).journal;
    requireSession(state, project);
    const known =
      state.current?.run === run ? state.current : state.waiting.find((waiting) => waiting.run === run);
    if (known) return { session: id, run, before: known.requested, lastId: null };
    const place = await this.runs.place(project, run);
    return { session: id, run, before: place.requested, lastId: place.lastEventId };
  }
}
