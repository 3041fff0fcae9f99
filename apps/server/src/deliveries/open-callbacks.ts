import { type CallbackRun, CallbackRelay, Deliveries, HttpCallbackSender, type RelayPorts } from '#delivery';
import type { Clock, EgressGuard } from '#platform';
import { type ApiKeys, ROOT_KEY_ID } from '#runs';

export interface Callbacks {
  readonly deliveries: Deliveries;
  /** Ends within a little more than `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface CallbackOptions extends Omit<RelayPorts, 'sender' | 'secretOf' | 'onFatal'> {
  readonly egress: EgressGuard;
  readonly apiKeys: ApiKeys;
  /** False: another process sends. */
  readonly isRelay: boolean;
}

/** Puts together what sends callbacks, and starts it. */
export function openCallbacks({ egress, apiKeys, isRelay, ...ports }: CallbackOptions): Callbacks {
  const { clock, logger } = ports;
  const sender = new HttpCallbackSender(egress, clock);
  const onFatal = (error: unknown): void => logger.error({ err: error }, 'callbacks are not sent any more');
  const secrets = new Secrets(apiKeys, clock);
  const secretOf = (run: CallbackRun): string | null => secrets.of(run);
  const relay = new CallbackRelay({ ...ports, sender, secretOf, onFatal });
  if (isRelay) relay.start();
  const close = async (graceMs: number): Promise<void> => {
    if (isRelay) await relay.stop(graceMs);
    await sender.close();
  };
  return { deliveries: new Deliveries(ports), close };
}

/** How long an opened secret is used; then the key may have been deleted. */
const SECRET_HOLDS_MS = 1_000;

/** The secrets that sign. Opening one costs more than signing with it. */
class Secrets {
  private readonly opened = new Map<string, string | null>();
  private openedAt = 0;

  constructor(
    private readonly apiKeys: ApiKeys,
    private readonly clock: Clock,
  ) {}

  of({ trigger, actor }: CallbackRun): string | null {
    const now = this.clock.now();
    if (Math.abs(now - this.openedAt) >= SECRET_HOLDS_MS) this.opened.clear();
    if (this.opened.size === 0) this.openedAt = now;
    // Commands of Kafka come from nobody who has a key; the operator's secret signs.
    const keyId = trigger === 'kafka' ? ROOT_KEY_ID : actor;
    const known = this.opened.get(keyId);
    if (known !== undefined) return known;
    const secret = this.apiKeys.webhookSecretOf(keyId);
    this.opened.set(keyId, secret);
    return secret;
  }
}
