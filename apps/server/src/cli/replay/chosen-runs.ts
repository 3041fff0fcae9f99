import { type RunStatus, hasEnded } from '#projections';
import { CommandRefused } from '../command.js';
import type { Evaluation } from './evaluation.js';
import type { ReplayingService } from './replaying-service.js';

interface ListedRun {
  readonly run_id: string;
  readonly status: RunStatus;
  readonly replay_of: string | null;
}

interface Page {
  readonly items: readonly ListedRun[];
  readonly next_cursor: string | null;
}

/** The runs of an evaluation, newest first: those that have ended and are no replays. @throws as `ReplayingService.ask` */
export async function chosenRuns(
  service: ReplayingService,
  { from, to, session, status }: Evaluation,
  stopping: AbortSignal,
): Promise<string[]> {
  const query = new URLSearchParams({ from, to, limit: '200' });
  if (session !== undefined) query.set('session', session);
  if (status !== 'all') query.set('status', status);
  const runs: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    if (cursor !== '') query.set('cursor', cursor);
    const said = await service.ask({ method: 'GET', path: `/runs?${query.toString()}` }, stopping);
    if (said.kind === 'refused')
      throw new CommandRefused(`the service refuses it (${said.status}): ${said.detail}`);
    const page = said.body as Page;
    for (const { run_id, status, replay_of } of page.items)
      if (replay_of === null && hasEnded(status)) runs.push(run_id);
    cursor = page.next_cursor;
  }
  return runs;
}
