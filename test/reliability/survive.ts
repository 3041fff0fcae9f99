import type { ServiceProcess } from '../support/service-process.js';

/**
 * Starts the service again as often as it dies before `isOver` resolves, and returns how often that was. It can be twice
 * for one run: its own death, and one that the run before it ordered and did not live to see.
 */
export async function survive(
  service: ServiceProcess,
  isOver: Promise<unknown>,
  restart: () => Promise<void> = () => service.launch(),
): Promise<number> {
  for (let deaths = 0; ; deaths += 1) {
    const died = service.exited.then(() => 'died' as const);
    if ((await Promise.race([isOver, died])) !== 'died') return deaths;
    // It may die again before it has said that it is ready.
    await restart().catch((error: unknown) => {
      if (service.isRunning) throw error;
    });
  }
}
