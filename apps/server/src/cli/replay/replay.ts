import { formatDollars } from '#domain';
import { SystemClock, SystemRandom, readSettings } from '#platform';
import { type CommandArgs, CommandRefused } from '../command.js';
import { withProgress } from '../progress.js';
import { isServiceAt, serviceUrl } from '../service-address.js';
import { chosenRuns } from './chosen-runs.js';
import { OutcomeFile } from './outcome-file.js';
import { costOf, replayAll } from './replay-all.js';
import { type ReplayOptions, replayOptionsOf } from './replay-options.js';
import { replayRun } from './replay-run.js';
import { ReplayingService } from './replaying-service.js';
import { summaryOf, tableOf } from './summary.js';

const BUDGET_SPENT = 3;
/** As a shell says of what was ended by SIGINT. */
const INTERRUPTED = 130;

/** `annals replay`: gives the runs of a time again through a running service, and says how the answers compare. */
export async function run(args: CommandArgs): Promise<number> {
  const options = replayOptionsOf(args);
  const service = await openService();
  const file = OutcomeFile.open(options.out, options.evaluation, () => new SystemRandom().uuid());
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new CommandRefused('interrupted'));
  // Once: a second signal ends the process at once.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    return await replayChosen(service, file, options, stopping.signal);
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
    return INTERRUPTED;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
  }
}

async function replayChosen(
  service: ReplayingService,
  file: OutcomeFile,
  { evaluation, budget, parallel, isJson }: ReplayOptions,
  stopping: AbortSignal,
): Promise<number> {
  const chosen = new Set(await chosenRuns(service, evaluation, stopping));
  // A run that was erased since is no longer listed, and its outcome stands.
  for (const done of file.outcomes.keys()) chosen.add(done);
  const runs = [...chosen].filter((run) => !file.outcomes.has(run));
  const terms = { id: file.id, changes: evaluation.changes };
  const replay = replayRun.bind(null, service);
  const refusal = await withProgress(chosen.size, (show) =>
    replayAll(
      { runs, parallel, budget, stopping, replay: (one, signal) => replay(one, terms, signal) },
      { done: file.outcomes, add: (outcome) => file.add(outcome) },
      show,
    ),
  );
  const outcomes = [...file.outcomes.values()];
  const summary = summaryOf(outcomes, chosen.size);
  process.stdout.write(isJson ? `${JSON.stringify(summary)}\n` : tableOf(summary));
  if (summary.left === 0) return 0;
  const left = `${summary.left} of ${summary.runs} runs are left`;
  if (stopping.aborted) {
    process.stderr.write(`interrupted: ${left}; the same command goes on\n`);
    return INTERRUPTED;
  }
  process.stderr.write(
    refusal === null
      ? `the budget is spent (${formatDollars(costOf(outcomes))} USD): ${left}; the same command with a larger --budget goes on\n`
      : `the service refuses more (402): ${refusal.message}: ${left}; the same command goes on when that is raised\n`,
  );
  return BUDGET_SPENT;
}

/** @throws CommandRefused, SettingsRefused */
async function openService(): Promise<ReplayingService> {
  const settings = readSettings();
  const { url } = serviceUrl(settings, process.env);
  if (!(await isServiceAt(url)))
    throw new CommandRefused(`ANNALS_URL must lead to a running service: none answers at ${url}`);
  const apiKey = process.env['ANNALS_KEY']?.trim() || settings.adminKey;
  if (apiKey === null)
    throw new CommandRefused(`the service runs at ${url}: ANNALS_KEY must be set to a key of it`);
  return new ReplayingService({ clock: new SystemClock(), random: new SystemRandom(), url, apiKey });
}
