import type { Ask } from '../world/ledger.js';
import { type Evidence, type SessionLog, require } from './evidence.js';
import type { AttemptFacts, StepFacts } from './workflow-facts.js';

/**
 * I5: the model is asked for a step only while an attempt of it is under way on the log, for a turn that is not recorded,
 * and is given the outputs that the step needs, before its description.
 */
export function checkStepAsks(
  steps: readonly StepFacts[],
  sessions: readonly SessionLog[],
  { ledger, nameOf }: Evidence,
): void {
  const byKey = Map.groupBy(steps, (step) => `${step.script.step} ${step.call.input}`);
  const lost = new Losses(sessions, nameOf);
  for (const ask of ledger.asks) {
    if (ask.step === null || ask.isCut) continue;
    const found = byKey.get(`${ask.step.step} ${ask.step.input}`) ?? [];
    const said = () => `${ask.worker} asked for turn ${ask.turn} of ${ask.step?.step} at ${ask.at}`;
    require(found.length > 0, 'I5 only recorded calls are carried out', said);
    const isDue = found.some((step) => mayAsk(ask, step, lost, nameOf));
    require(isDue, 'I5 a finished step or attempt is not repeated', said);
    require(found.some((step) => isTold(ask, step)), 'I3 a step sees what it depends on', () =>
      `${said()}: ${ask.message}`);
  }
}

function mayAsk(ask: Ask, step: StepFacts, lost: Losses, nameOf: (worker: string) => string): boolean {
  const { run } = step.call;
  const epochs = run.claims
    .filter((claim) => nameOf(claim.worker) === ask.worker && claim.position <= ask.at)
    .map((claim) => claim.epoch);
  // Whoever has lost a run and does not know it may have read what the winner wrote.
  if (lost.has(run.session, ask)) epochs.push(Infinity);
  return epochs.some((epoch) => isUnderWay(step.attempts, ask, epoch));
}

function isUnderWay(attempts: readonly AttemptFacts[], ask: Ask, epoch: number): boolean {
  const isKnown = (fact: Pick<AttemptFacts, 'event' | 'epoch'>) =>
    fact.epoch <= epoch && fact.event.position <= ask.at;
  const last = attempts.findLast(isKnown);
  if (last === undefined || (last.ended !== null && isKnown(last.ended))) return false;
  return last.turns.filter(isKnown).length <= ask.turn;
}

function isTold({ message }: Ask, { definition, call }: StepFacts): boolean {
  const place = message.indexOf(`\n${definition.description}`);
  if (place < 0 || !message.includes(`Input of the workflow:\n${call.input}\n`)) return false;
  return definition.depends_on.every((id) => {
    const output = call.steps.get(id)?.output ?? null;
    const found = message.indexOf(`Output of step "${id}":\n${output}\n`);
    return output !== null && found >= 0 && found < place;
  });
}

/** Who had lost a run of a session to another, and when. */
class Losses {
  private readonly bySession = new Map<string, { readonly worker: string; readonly at: number }[]>();

  constructor(sessions: readonly SessionLog[], nameOf: (worker: string) => string) {
    for (const { id, events } of sessions) {
      const losses: { worker: string; at: number }[] = [];
      const owners = new Map<string, string>();
      for (const event of events) {
        if (event.type !== 'run_claimed') continue;
        const run = event.meta.run ?? '';
        const before = owners.get(run);
        if (before !== undefined) losses.push({ worker: nameOf(before), at: event.position });
        owners.set(run, event.data.worker);
      }
      this.bySession.set(id, losses);
    }
  }

  has(session: string, ask: Ask): boolean {
    const losses = this.bySession.get(session) ?? [];
    return losses.some(({ worker, at }) => worker === ask.worker && at <= ask.at);
  }
}
