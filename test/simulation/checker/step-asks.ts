import type { Ask } from '../world/ledger.js';
import { type Evidence, require } from './evidence.js';
import type { AttemptFacts, StepFacts } from './workflow-facts.js';

/**
 * I5: the model is asked for a step only while an attempt of it is under way on the log, for a turn that is not recorded,
 * and is given the outputs that the step needs, before its description.
 */
export function checkStepAsks(steps: readonly StepFacts[], { ledger, nameOf }: Evidence): void {
  const byKey = Map.groupBy(steps, (step) => `${step.script.step} ${step.call.input}`);
  for (const ask of ledger.asks) {
    if (ask.step === null) continue;
    const found = byKey.get(`${ask.step.step} ${ask.step.input}`) ?? [];
    const said = () => `${ask.worker} asked for turn ${ask.turn} of ${ask.step?.step} at ${ask.at}`;
    require(found.length > 0, 'I5 only recorded calls are carried out', said);
    const isDue = found.some((step) => mayAsk(ask, step, nameOf));
    require(isDue, 'I5 a finished step or attempt is not repeated', said);
    require(found.some((step) => isTold(ask, step)), 'I3 a step sees what it depends on', () =>
      `${said()}: ${ask.message}`);
  }
}

function mayAsk(ask: Ask, step: StepFacts, nameOf: (worker: string) => string): boolean {
  const epochs = step.call.run.claims
    .filter((claim) => nameOf(claim.worker) === ask.worker && claim.position <= ask.at)
    .map((claim) => claim.epoch);
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
