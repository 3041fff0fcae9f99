import {
  DeliveryFold,
  asDeliveryEvent,
  asSessionEvent,
  runOfDeliveryStream,
  sessionOfRun,
  sessionStream,
} from '#domain';
import type { RecordedEvent } from '#event-log';
import type { LogStore } from './log-store.js';

/** Knows what stands on the log of deliveries. */
export class DeliveryWatch {
  private readonly folds = new Map<string, DeliveryFold>();

  constructor(store: LogStore) {
    store.listeners.add((events) => events.forEach((event) => this.take(event)));
  }

  /** Runs whose events were neither all delivered nor given up. */
  unsettled(): string[] {
    return [...this.folds].filter(([, fold]) => !fold.isSettled).map(([run]) => run);
  }

  private take(event: RecordedEvent): void {
    if (event.type === 'session_erased') {
      for (const run of this.folds.keys())
        if (sessionStream(sessionOfRun(run) ?? '') === event.stream) this.folds.delete(run);
    }
    if (event.type === 'run_requested') {
      const request = asSessionEvent(event);
      if (request.type === 'run_requested' && request.data.callback !== undefined)
        this.folds.set(event.meta.run ?? '', new DeliveryFold());
      return;
    }
    const run = runOfDeliveryStream(event.stream);
    const known = run === null ? null : asDeliveryEvent(event);
    if (known !== null) this.folds.get(run ?? '')?.push(known);
  }
}
