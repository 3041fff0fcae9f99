import { createHash } from 'node:crypto';
import { CommandRefused } from '../command.js';
import type { Both, Changes, Compared, Outcome } from './evaluation.js';
import type { ReplayingService, Said } from './replaying-service.js';

interface Diff extends Pick<
  Compared,
  'same_response' | 'same_tool_calls' | 'same_final_output' | 'cost' | 'usage' | 'ms'
> {
  readonly status: Both<string>;
}

export interface ReplayTerms {
  /** Of the file: the same file gets the same replays. */
  readonly id: string;
  readonly changes: Changes;
}

/** A budget of the service is spent: the run can be replayed when there is more. */
export class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent';
}

/** What is wrong with the request, not with the run: it would be so of every one. */
const OF_ALL: ReadonlySet<number> = new Set([400, 401, 403, 413, 415]);

/**
 * Replays a run, waits for the end and compares both. Asked again with the same terms it joins the replay that it
 * began: its Idempotency-Key is made of the file and the run.
 * @throws BudgetSpent; CommandRefused where no run can be replayed so; as `ReplayingService.ask`
 */
export async function replayRun(
  service: ReplayingService,
  run: string,
  { id, changes }: ReplayTerms,
  stopping: AbortSignal,
): Promise<Outcome> {
  const started = await service.ask(
    {
      method: 'POST',
      path: `/runs/${encodeURIComponent(run)}/replay`,
      body: { ...changes, background: true },
      key: `replay-${createHash('sha256').update(`${id}\n${run}`).digest('hex')}`,
    },
    stopping,
  );
  if (started.kind === 'refused') return refused(run, null, started);
  const { run_id: replay } = started.body as { readonly run_id: string };
  const ended = await service.ended(replay, stopping);
  if (ended.kind === 'refused') return refused(run, replay, ended);
  const compared = await service.ask({ method: 'GET', path: `/runs/${run}/diff/${replay}` }, stopping);
  if (compared.kind === 'refused') return refused(run, replay, compared);
  const { drift, error } = ended.body as { readonly drift: number | null; readonly error: object | null };
  return { ...outcomeOf(run, replay, compared.body as Diff, drift), ...(error === null ? {} : { error }) };
}

const outcomeOf = (run: string, replay: string, diff: Diff, drift: number | null): Compared => ({
  run,
  replay,
  status: diff.status.b,
  same_response: diff.same_response,
  same_tool_calls: diff.same_tool_calls,
  same_final_output: diff.same_final_output,
  drift: drift ?? 0,
  cost: diff.cost,
  usage: diff.usage,
  ms: diff.ms,
});

function refused(run: string, replay: string | null, said: Extract<Said, { kind: 'refused' }>): Outcome {
  const { status, code, detail } = said;
  if (code === 'budget_exhausted') throw new BudgetSpent(detail);
  if (OF_ALL.has(status)) throw new CommandRefused(`the service refuses it (${status}): ${detail}`);
  return { run, replay, status: null, error: { code, message: detail } };
}
