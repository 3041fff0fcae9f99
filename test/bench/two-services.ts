import { ServiceProcess } from '../support/service-process.js';
import { median } from '../support/median.js';
import { type LoadFigures, type Scenario, SharedLoad } from './shared-load.js';

const ROUNDS = 5;

/** How a figure of the second service compares with the first one's. */
export interface Compared {
  readonly what: string;
  readonly scenario: Scenario;
  readonly of: (figures: LoadFigures) => number;
}

/**
 * Scenarios of the shared benchmark on a service as it is by default and on one with other settings, by turns, so that
 * both meet the same weather. `baselineImports` are modules that the first one loads before its program. Prints, for each figure, the medians, their ratio, and the ratios of all rounds.
 */
export async function compareServices(
  name: string,
  settings: Readonly<Record<string, string>>,
  wanted: readonly Compared[],
  { baselineImports = [] }: { readonly baselineImports?: readonly string[] } = {},
): Promise<void> {
  const load = await SharedLoad.open(`the service ${name}`);
  if (load === null) return;
  const services: ServiceProcess[] = [];
  try {
    services.push(await ServiceProcess.start({ env: load.env, imports: baselineImports }));
    services.push(await ServiceProcess.start({ env: { ...load.env, ...settings } }));
    for (const scenario of new Set(wanted.map((each) => each.scenario))) {
      const rounds: LoadFigures[][] = [];
      for (let round = 0; round < ROUNDS; round++) rounds.push(await oneRound(load, services, scenario));
      for (const each of wanted) if (each.scenario === scenario) show(name, each, rounds);
    }
  } finally {
    for (const service of services) await service.dispose();
    load.close();
  }
}

async function oneRound(
  load: SharedLoad,
  services: readonly ServiceProcess[],
  scenario: Scenario,
): Promise<LoadFigures[]> {
  const figures: LoadFigures[] = [];
  for (const service of services) figures.push(await load.measure(service, scenario));
  return figures;
}

function show(name: string, { what, scenario, of }: Compared, rounds: readonly LoadFigures[][]): void {
  const pairs = rounds.map(([without, other]) => [of(without!), of(other!)] as const);
  const [without, other] = [median(pairs.map(([first]) => first)), median(pairs.map(([, second]) => second))];
  const ratios = pairs.map(([first, second]) => second / first);
  console.log(
    `${scenario}, ${what}: embedded ${shown(without)}, ${name} ${shown(other)}, ratio ${median(ratios).toFixed(2)} ` +
      `(rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
  );
}

const shown = (value: number): string => value.toFixed(value < 100 ? 2 : 0);
