import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceOptions, ServiceProcess } from '../support/service-process.js';
import { PATIENCE_MS } from '../support/until.js';

const HOOK = resolve('test/reliability/hooks/tell-memory.ts');
const LOOK_MS = 10;

/**
 * Asks a service how much it holds when all garbage is gone: that is free of what the collector has not come to yet, which
 * is most of what resident memory goes up and down by. Owns the file in which the service answers.
 */
export class MemoryProbe {
  private readonly folder = mkdtempSync(join(tmpdir(), 'annals-memory-'));
  private readonly file = join(this.folder, 'told');

  /** What the service has to be started with. */
  with(options: ServiceOptions): ServiceOptions {
    const { env, imports = [] } = options;
    return { ...options, imports: [HOOK, ...imports], env: { ...env, MEMORY_FILE: this.file } };
  }

  /**
   * Bytes held by the main thread, its buffers included.
   * @throws Error where the process ends or does not answer
   */
  async held(service: ServiceProcess): Promise<number> {
    const told = this.told(service.pid);
    const late = performance.now() + PATIENCE_MS;
    service.signal('SIGUSR2');
    for (;;) {
      const now = this.told(service.pid);
      if (now.length > told.length) return now.at(-1) ?? 0;
      if (!service.isRunning || performance.now() > late)
        throw new Error(`the service does not say what it holds:\n${service.output.slice(-1_000)}`);
      await sleep(LOOK_MS);
    }
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  private told(pid: number): number[] {
    return this.lines()
      .map((line) => line.split(' ').map(Number))
      .filter(([of]) => of === pid)
      .map(([, bytes = 0]) => bytes);
  }

  private lines(): string[] {
    try {
      // The last line may not be there whole; before each line break one is.
      return readFileSync(this.file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  }
}
