import {
  type CallbackRun,
  type CallbackSender,
  CallbackRelay,
  Deliveries,
  HttpCallbackSender,
  type RelayPorts,
} from '#delivery';
import type { Clock, EgressGuard } from '#platform';
import { type ApiKeys, ROOT_KEY_ID } from '#access';
import { type Part } from '#replicas';

export interface Callbacks {
  readonly deliveries: Deliveries;
  /** Makes what sends, which is to be started. */
  openRelay(): Part;
  /** When nothing is sent any more. */
  close(): Promise<void>;
}

export interface CallbackOptions extends Omit<RelayPorts, 'sender' | 'secretOf'> {
  readonly egress: EgressGuard;
  readonly apiKeys: ApiKeys;
  /** Puts somebody who looks on around what sends. */
  readonly watched: (sender: CallbackSender) => CallbackSender;
}

/** Puts together what sends callbacks. */
export function openCallbacks({ egress, apiKeys, watched, ...ports }: CallbackOptions): Callbacks {
  const { clock } = ports;
  const http = new HttpCallbackSender(egress, clock);
  const sender = watched(http);
  const secrets = new Secrets(apiKeys, clock);
  const secretOf = (run: CallbackRun): string | null => secrets.of(run);
  return {
    deliveries: new Deliveries(ports),
    openRelay: () => new CallbackRelay({ ...ports, sender, secretOf }),
    close: () => http.close(),
  };
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
