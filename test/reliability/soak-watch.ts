import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf, openFilesOf } from '../support/service-process.js';
import type { Stage } from '../support/stage.js';
import type { Sample } from './growth.js';
import type { MemoryProbe } from './memory-probe.js';

/** Of each life. */
const SAMPLES = 40;

/** Looks at what a service holds while it is under load. */
export class SoakWatch {
  readonly samples: Sample[] = [];
  private lives = 0;

  constructor(
    private readonly stage: Stage,
    private readonly probe: MemoryProbe,
  ) {}

  /** Watches a process, which is ready just now, for so long. */
  async life(lifeMs: number): Promise<void> {
    const { service, book, model } = this.stage;
    const since = performance.now();
    const life = this.lives++;
    for (let n = 1; n <= SAMPLES; n++) {
      await sleep(Math.max(0, since + (n * lifeMs) / SAMPLES - performance.now()));
      const [resident, files] = [memoryOf(service.pid), openFilesOf(service.pid)];
      const held = await this.probe.held(service);
      this.samples.push({ life, ageMs: performance.now() - since, held, resident, files });
      book.forgetRequests();
      model.requests.splice(0);
    }
  }
}
