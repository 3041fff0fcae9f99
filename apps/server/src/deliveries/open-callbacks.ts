import { type CallbackRun, CallbackRelay, Deliveries, HttpCallbackSender, type RelayPorts } from '#delivery';
import type { EgressGuard } from '#platform';
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
  // Commands of Kafka come from nobody who has a key; the operator's secret signs.
  const secretOf = ({ trigger, actor }: CallbackRun): string | null =>
    apiKeys.webhookSecretOf(trigger === 'kafka' ? ROOT_KEY_ID : actor);
  const relay = new CallbackRelay({ ...ports, sender, secretOf, onFatal });
  if (isRelay) relay.start();
  const close = async (graceMs: number): Promise<void> => {
    if (isRelay) await relay.stop(graceMs);
    await sender.close();
  };
  return { deliveries: new Deliveries(ports), close };
}
