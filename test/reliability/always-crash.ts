import { DIE_AT_APPEND, Theatre } from './theatre.js';
import { SCENARIOS, type Scenario } from './scenarios.js';
import { survive } from './survive.js';
import { type RowReport, spreadOf } from './verdict.js';

/**
 * A claim, the first piece of a turn, and what completes the turn are three appends: a process that dies after fewer
 * would be asked the same for ever.
 */
const FEWEST_APPENDS = 4;

/** F2 in the extreme: every process dies after its fourth append (then its fifth …), until each scenario has ended. */
export async function alwaysCrash(rounds: number): Promise<RowReport> {
  const theatre = await Theatre.open({ imports: [DIE_AT_APPEND] });
  try {
    const { service } = theatre.stage;
    let deaths = 0;
    for (let round = 0; round < rounds; round++) {
      await service.restart('SIGTERM', { env: { DIE_EVERY: String(FEWEST_APPENDS + round) } });
      for (const scenario of SCENARIOS.filter(isShort))
        deaths += await playToItsEnd(theatre, scenario, round);
    }
    await service.restart('SIGTERM');
    const verdict = await theatre.audit();
    const line = `F2 ${deaths} deaths, each process dying after its ${FEWEST_APPENDS}th append: ${verdict.line}; ready again: ${spreadOf(service.startsMs.slice(1))}`;
    return { faults: deaths, verdict, line, measured: { readyMs: service.startsMs.slice(1) } };
  } finally {
    await theatre.close();
  }
}

/** Those whose turns are few appends each, so that there is always some progress. */
const isShort = ({ turns, streaming }: Scenario): boolean =>
  !streaming && turns.every((turn) => turn.firstFails === undefined);

async function playToItsEnd(theatre: Theatre, scenario: Scenario, round: number): Promise<number> {
  const { service } = theatre.stage;
  const env = { DIE_EVERY: String(FEWEST_APPENDS + round) };
  const body = { streaming_tokens: scenario.streaming };
  const name = `${scenario.name} round ${round}`;
  const isOver = theatre.witness.run(name, { key: name, body });
  return survive(service, isOver, () => service.launch({ env }));
}
