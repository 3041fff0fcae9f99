import type { Clock } from '#platform';
import { type Policy, judge, parseCheckpoint, parseNote } from '#proof';
import type { Published, Stop } from './seal.js';
import type { ProofStore } from './tables/proof-store.js';

const EVERY_MS = 1_000;

export interface ProofStatusPorts {
  readonly origin: string;
  readonly store: ProofStore;
  readonly clock: Clock;
  /** Whose cosignatures count. */
  readonly policy: Policy;
}

/** What every replica knows of the sealing, whoever seals: as the tables said it within about a second. */
export class ProofStatus {
  private stop: Stop | null = null;
  private told: Published | null = null;

  constructor(private readonly ports: ProofStatusPorts) {}

  /** Why nothing is signed; null: it is. */
  get stopped(): Stop | null {
    return this.stop;
  }

  /** By the policy's names. */
  get witnesses(): readonly string[] {
    return this.ports.policy.witnesses.map(({ name }) => name);
  }

  /** How long ago each witness of the policy cosigned the newest checkpoint, in s; those that have not are not named. */
  get cosigned(): ReadonlyMap<string, number> {
    const { policy, clock } = this.ports;
    const note = parseNote(this.told?.note ?? '');
    const ages = new Map<string, number>();
    for (const { name, key } of note === null ? [] : policy.witnesses) {
      const judged = judge(note!, key);
      if (judged !== null && judged !== 'wrong')
        ages.set(name, Math.max(0, clock.now() / 1000 - judged.time));
    }
    return ages;
  }

  /** Looks until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.ports;
    await store.ready.catch(() => undefined);
    while (!signal.aborted) {
      await this.look().catch(() => undefined);
      await clock.sleep(EVERY_MS, signal).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const { origin, store } = this.ports;
    const { stop, published } = await store.status();
    this.stop = stop?.origin === origin ? stop : null;
    const text = parseNote(published?.note ?? '')?.text ?? '';
    this.told = parseCheckpoint(text)?.origin === origin ? published : null;
  }
}
