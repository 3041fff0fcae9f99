import {
  type DeliveryAttempt,
  type EventPlace,
  type Trigger,
  deliveryId,
  parseRetryAfter,
  waitAfterAttempt,
  type ProjectId,
  type Revision,
  type RunId,
  type SessionId,
} from '#domain';
import { type Clock, type Random, type SecretBox, SealBroken } from '#platform';
import { type Callback, openCallback } from './callback.js';
import type { CallbackSender, SendOutcome } from './callback-sender.js';
import { hideSecrets } from './hide-secrets.js';
import { RECEIPT_HEADER } from '../run-receipts.js';
import { webhookSignature } from './signature.js';

/** A run whose events are sent to a callback. */
export interface CallbackRun {
  readonly run: RunId;
  readonly session: SessionId;
  readonly project: ProjectId;
  /** Id of the API key that started it: its webhook secret signs. */
  readonly actor: string;
  /** Sealed. */
  readonly callback: string;
  readonly trigger: Trigger;
  /** Revision of its `run_requested`. */
  readonly requested: Revision;
  /** `traceparent` of what caused it. */
  readonly cause?: string | undefined;
}

export interface DueEvent extends EventPlace {
  /** Exactly what a client of the stream gets as `data:`. */
  readonly json: string;
  readonly isLast: boolean;
  /** Of the run's end. */
  readonly receipt?: string;
}

export interface AttemptPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly box: SecretBox;
  readonly sender: CallbackSender;
  /** `whsec_…`; null: the key is unknown, or not any more. */
  readonly secretOf: (run: CallbackRun) => string | null;
}

/** Receivers that are gone for good (RFC 9110, 15.5.11). */
const GONE = 410;

/** Sends one event once and says what became of it. */
export class CallbackAttempts {
  constructor(private readonly ports: AttemptPorts) {}

  /** Where the run's events go, opened once for many of them. null: nobody can tell any more. */
  open({ callback, project }: CallbackRun): Callback | null {
    try {
      return openCallback(this.ports.box, project, callback);
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }

  /** @param tries attempts of this event before @throws the signal's reason */
  async make(
    run: CallbackRun,
    callback: Callback | null,
    event: DueEvent,
    tries: number,
    signal: AbortSignal,
  ): Promise<DeliveryAttempt> {
    const outcome = await this.send(run, callback, event, signal);
    const { sequence, revision } = event;
    const told = { sequence, revision, ...describe(outcome, callback) };
    const isDelivered = told.status !== null && told.status >= 200 && told.status < 300;
    if (isDelivered) return event.isLast ? { ...told, is_last: true } : told;
    const waitMs = this.waitAfter(outcome, tries + 1);
    return waitMs === null
      ? { ...told, gave_up: true }
      : { ...told, next_at: this.ports.clock.now() + waitMs };
  }

  private async send(
    run: CallbackRun,
    callback: Callback | null,
    { sequence, json, receipt }: DueEvent,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    const { clock, sender, secretOf } = this.ports;
    if (callback === null)
      return { kind: 'failed', reason: 'the callback cannot be read with this master key' };
    const secret = secretOf(run);
    if (secret === null) return { kind: 'failed', reason: 'the API key that started the run is gone' };
    const id = deliveryId(run.run, sequence);
    const timestamp = Math.floor(clock.now() / 1000);
    const headers = {
      'user-agent': 'Annals',
      ...lowerCased(callback.headers),
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': webhookSignature(secret, id, timestamp, json),
      'annals-run': run.run,
      'annals-sequence': String(sequence),
      ...(receipt === undefined ? {} : { [RECEIPT_HEADER]: receipt }),
    };
    return sender.send({ url: callback.url, headers, body: json, cause: run.cause }, signal);
  }

  private waitAfter(outcome: SendOutcome, attempts: number): number | null {
    const { clock, random } = this.ports;
    if (outcome.kind === 'failed') return waitAfterAttempt(attempts, random.jitter(), null);
    if (outcome.status === GONE) return null;
    return waitAfterAttempt(attempts, random.jitter(), parseRetryAfter(outcome.retryAfter, clock.now()));
  }
}

function describe(
  outcome: SendOutcome,
  callback: Callback | null,
): Pick<DeliveryAttempt, 'status' | 'response' | 'error'> {
  if (outcome.kind === 'failed') return { status: null, error: outcome.reason };
  const response = callback === null ? '' : hideSecrets(outcome.body, callback);
  return { status: outcome.status, ...(response === '' ? {} : { response }) };
}

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
