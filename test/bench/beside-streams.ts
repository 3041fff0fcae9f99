import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceProcess } from '../support/service-process.js';
import { median } from '../support/median.js';
import { LOAD_KEY, type LoadFigures, SharedLoad, warmUpMs } from './shared-load.js';

/** Uploads a document and resolves when it is indexed. */
export type IndexOne = (service: ServiceProcess, key: string, round: number) => Promise<void>;

/** S3 of the shared benchmark on a service alone, and while it reads a document, by turns. */
export async function besideStreams(rounds: number, indexOne: IndexOne): Promise<void> {
  const load = await SharedLoad.open('streams beside it');
  if (load === null) return;
  const service = await ServiceProcess.start({ env: load.env });
  const ratios: number[] = [];
  const took: number[] = [];
  try {
    for (let round = 0; round < rounds; round++) {
      const { token: alone } = await load.measure(service, 'S3');
      const loaded = load.measure(service, 'S3');
      await sleep(warmUpMs('S3'));
      const since = performance.now();
      await indexOne(service, LOAD_KEY, round);
      const seconds = (performance.now() - since) / 1000;
      const { token: beside } = await loaded;
      ratios.push(beside.p99 / alone.p99);
      took.push(seconds);
      console.log(
        `S3: tokens ${shown(alone)} alone, ${shown(beside)} beside it; indexed in ${seconds.toFixed(1)} s`,
      );
    }
    console.log(
      `S3 beside it: p99 x ${median(ratios).toFixed(2)} (rounds: ${ratios.map((r) => r.toFixed(2)).join(' ')}); ` +
        `indexed in ${median(took).toFixed(1)} s, at most ${Math.max(...took).toFixed(1)}`,
    );
  } finally {
    await service.dispose();
    load.close();
  }
}

const shown = ({ p50, p99 }: LoadFigures['token']): string =>
  `p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
