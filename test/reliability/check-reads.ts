import { asSessionEvent, formatDollars, isEndType, isPublicType, parseDollars } from '#domain';
import type { RecordedEvent } from '#event-log';
import { sessionsOf } from '../simulation/checker/evidence.js';
import { historyOnLog } from '../support/log-history.js';
import type { Message, ServiceClient } from '../support/service-client.js';
import type { StoredContents } from './evidence.js';
import type { Verdict } from './verdict.js';

/** What the service tells about its sessions and runs. */
export interface Reads {
  readonly histories: ReadonlyMap<string, readonly Message[]>;
  readonly runs: readonly ListedRun[];
  readonly sessions: readonly ListedSession[];
}

interface ListedRun {
  readonly run_id: string;
  readonly session: string;
  readonly status: string;
  readonly cost: string;
  readonly last_event_id: string | null;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
}

interface ListedSession {
  readonly session: string;
  readonly message_count: number;
  readonly last_status: string;
  readonly cost: string;
}

/** @param known sessions that are not asked about again */
export async function readEverything(
  client: ServiceClient,
  known: ReadonlySet<string> = new Set(),
): Promise<Reads> {
  const isNew = ({ session }: { readonly session: string }): boolean => !known.has(session);
  const sessions = (await client.all<ListedSession>('/sessions')).filter(isNew);
  const runs = (await client.all<ListedRun>('/runs')).filter(isNew);
  const histories = new Map<string, readonly Message[]>();
  for (const { session } of sessions) histories.set(session, await client.history(session));
  return { histories, runs, sessions };
}

/** I9: lists and histories are what a fold of the log says. */
export function checkReads(
  { histories, runs, sessions }: Reads,
  log: readonly RecordedEvent[],
  contents: StoredContents,
  verdict: Verdict,
): void {
  const onLog = sessionsOf(log);
  const listed = new Map(sessions.map((session) => [session.session, session]));
  verdict.require(
    sessions.length === onLog.length && listed.size === onLog.length,
    () => `${sessions.length} sessions are listed, ${onLog.length} are on the log`,
  );
  for (const { id, events } of onLog) {
    const expected = historyOf(id, events, contents);
    const told = histories.get(id);
    verdict.require(
      JSON.stringify(told) === JSON.stringify(expected),
      () =>
        `history of ${id}: ${JSON.stringify(told)?.slice(0, 300)} instead of ${JSON.stringify(expected).slice(0, 300)}`,
    );
    verdict.require(
      listed.get(id)?.message_count === expected.length,
      () => `${id}: message_count ${listed.get(id)?.message_count} instead of ${expected.length}`,
    );
  }
  checkRuns(
    runs,
    onLog.flatMap(({ events }) => events),
    verdict,
  );
}

function historyOf(id: string, events: readonly RecordedEvent[], contents: StoredContents): Message[] {
  return historyOnLog(events.map(asSessionEvent)).map(({ type, pieces }) => ({
    type,
    content: pieces.map((piece) => contents.text(id, piece)).join(''),
  }));
}

function checkRuns(runs: readonly ListedRun[], events: readonly RecordedEvent[], verdict: Verdict): void {
  const byRun = Map.groupBy(events, (event) => event.meta.run ?? '');
  byRun.delete('');
  const listed = new Map(runs.map((run) => [run.run_id, run]));
  verdict.require(
    runs.length === byRun.size && listed.size === byRun.size,
    () => `${runs.length} runs are listed, ${byRun.size} are on the log`,
  );
  for (const [id, own] of byRun) {
    const run = listed.get(id);
    const end = own.find((event) => isEndType(event.type));
    const last = own.findLast((event) => isPublicType(event.type));
    verdict.require(run?.status === statusOf(end), () => `${id}: ${run?.status} instead of ${statusOf(end)}`);
    verdict.require(
      run?.last_event_id === (last ? String(last.revision) : null),
      () => `${id}: last_event_id ${run?.last_event_id} instead of ${last?.revision}`,
    );
    verdict.require(run?.cost === costOf(own), () => `${id}: cost ${run?.cost} instead of ${costOf(own)}`);
  }
}

const statusOf = (end: RecordedEvent | undefined): string => {
  if (end === undefined) return 'running';
  if (end.type === 'agent_error') return 'failed';
  return end.type.slice('agent_'.length);
};

const costOf = (events: readonly RecordedEvent[]): string =>
  formatDollars(
    events
      .filter(({ type }) => type === 'model_called')
      .reduce((sum, { data }) => sum + parseDollars((data as { cost: string }).cost), 0n),
  );
