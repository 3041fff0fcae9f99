import type { RecordedEvent } from '#event-log';
import type { Ask } from '../support/script-book.js';
import { checkClaims } from '../simulation/checker/claims.js';
import { type SessionLog, type SessionRecord, Violated, sessionsOf } from '../simulation/checker/evidence.js';
import { checkLog } from '../simulation/checker/log.js';
import { checkRuns } from '../simulation/checker/runs.js';
import type { StoredContents } from './evidence.js';
import { type Scenario, scenarioOf } from './scenarios.js';
import type { Verdict } from './verdict.js';

/** I3, I4 and I8 of a log at rest: unique ids, rising epochs, one run at a time, and each run told in order to its end. */
export function checkSessions(log: readonly RecordedEvent[], verdict: Verdict): void {
  noting(verdict, () => checkLog(log));
  for (const session of sessionsOf(log)) {
    noting(verdict, () => checkClaims(session));
    noting(verdict, () => checkRuns(session));
  }
}

function noting(verdict: Verdict, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Violated)) throw error;
    verdict.note(error.message);
  }
}

/** What is known of a run from the log alone. */
interface RunFacts {
  readonly message: string;
  readonly scenario: Scenario;
  /** Claims and failures while each turn was the next one to be recorded: how often it may have been asked. */
  readonly chances: number[];
  text: string;
  thinking: string;
}

/** I3 and I5: blocks spell what the model said, and a turn that is on the log was never asked again. */
export function checkTurns(
  log: readonly RecordedEvent[],
  asks: readonly Ask[],
  contents: StoredContents,
  verdict: Verdict,
): void {
  const byMessage = new Map<string, RunFacts>();
  for (const session of sessionsOf(log)) {
    // Of what is erased nothing can be read.
    if (session.events.some(({ isErased }) => isErased)) continue;
    readSession(session, byMessage, contents, verdict);
  }
  const counts = new Map<string, number>();
  for (const { message, turn } of asks) {
    const name = `${turn} ${message}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  for (const [name, count] of counts) {
    const at = name.indexOf(' ');
    const facts = byMessage.get(name.slice(at + 1));
    if (facts === undefined) continue;
    const most = facts.chances[Number(name.slice(0, at))] ?? 0;
    verdict.require(
      count <= most,
      () => `turn ${name.slice(0, 60)} was asked ${count} times, at most ${most}`,
    );
  }
}

function readSession(
  { id, events }: SessionLog,
  byMessage: Map<string, RunFacts>,
  contents: StoredContents,
  verdict: Verdict,
): void {
  const byRun = new Map<string, RunFacts>();
  for (const event of events) {
    const run = event.meta.run ?? '';
    if (event.type === 'run_requested') {
      const message = contents.text(id, event.data.message);
      const scenario = scenarioOf(message);
      if (scenario === undefined) continue;
      const facts = { message, scenario, chances: [0], text: '', thinking: '' };
      byRun.set(run, facts);
      byMessage.set(message, facts);
    }
    const facts = byRun.get(run);
    if (facts) readEvent(event, facts, (content) => contents.text(id, content), verdict);
  }
}

function readEvent(
  event: SessionRecord,
  facts: RunFacts,
  textOf: (content: Parameters<StoredContents['text']>[1]) => string,
  verdict: Verdict,
): void {
  const turn = facts.chances.length - 1;
  const again = (): void => {
    facts.chances[turn] = (facts.chances[turn] ?? 0) + 1;
    facts.text = '';
    facts.thinking = '';
  };
  switch (event.type) {
    case 'run_claimed':
    case 'model_turn_failed':
      return again();
    case 'agent_response':
      facts.text += textOf(event.data.content);
      return;
    case 'agent_thinking':
      facts.thinking += textOf(event.data.content);
      return;
    case 'model_turn_completed': {
      const plan = facts.scenario.turns[turn];
      const place = `${facts.message.slice(0, 40)}, turn ${turn}`;
      verdict.require(
        facts.text === (plan?.text ?? []).join(''),
        () => `${place}: "${facts.text.slice(0, 80)}"`,
      );
      verdict.require(
        facts.thinking === (plan?.thinking ?? []).join(''),
        () => `${place}: "${facts.thinking}"`,
      );
      const calls = (event.data.tool_calls ?? []).map(({ name }) => name).join();
      verdict.require(calls === (plan?.calls ?? []).join(), () => `${place}: calls ${calls}`);
      facts.text = '';
      facts.thinking = '';
      // The claim that is in force may ask for the next turn, too.
      facts.chances.push(1);
      return;
    }
    default:
  }
}
