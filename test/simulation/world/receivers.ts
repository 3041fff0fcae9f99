import { type CallbackRequest, CallbackSender, type SendOutcome } from '#delivery';
import { SecretBox } from '#platform';
import type { Owner } from '../engine/scheduler.js';
import type { Moment } from './ledger.js';
import { type SimWorld, immortal, latency, momentOf, strikes } from './sim-world.js';
import type { Fault } from './weather.js';

/** One attempt as it arrived at a receiver, and what the receiver made of it. */
export interface Receipt {
  readonly request: CallbackRequest;
  readonly run: string;
  readonly sequence: number;
  /** The relay's life. */
  readonly worker: string;
  /** Position of the log's last event when it was sent. */
  readonly sentAt: number;
  readonly began: Moment;
  /** What was answered; null: nothing, or nothing that arrived. */
  status: number | null;
  /** Seconds that the receiver asked for. */
  retryAfterS: number | null;
  /** The date that it named instead, in ms since 1970. */
  retryAt: number | null;
  /** The receiver has taken it in, whatever the sender was told. */
  isTaken: boolean;
}

/** Seals nothing, so that the same tape is the same log. */
class OpenBox extends SecretBox {
  override seal(text: string): string {
    return `sealed ${text}`;
  }

  override open(sealed: string): string {
    return sealed.slice('sealed '.length);
  }
}

export const OPEN_BOX = new OpenBox(Buffer.alloc(32, 1));
export const WEBHOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** As long as the real sender waits for an answer. */
const TIMEOUT_MS = 30_000;
const PATIENCE_S = [1, 20, 50];
/** Where days may pass; the last is more than is granted. */
const LONG_PATIENCE_S = [1, 600, 20_000, 100_000];

/** One worker's way to the receivers. They fail as receivers do, each event of a run a few times at most. */
export class SimSender extends CallbackSender {
  constructor(
    private readonly world: SimWorld,
    private readonly owner: Owner,
  ) {
    super();
  }

  override send(request: CallbackRequest, signal: AbortSignal): Promise<SendOutcome> {
    const { world, owner } = this;
    const run = request.headers['annals-run'] ?? '';
    const sequence = Number(request.headers['annals-sequence']);
    const sentAt = world.store.head;
    const began = momentOf(world);
    const label = `callback ${run} ${sequence}`;
    return new Promise((resolve, reject) => {
      const abort = () => reject(signal.reason as Error);
      if (signal.aborted) return abort();
      signal.addEventListener('abort', abort, { once: true });
      const done = (outcome: SendOutcome, ms = latency(world)) =>
        world.scheduler.after(owner, ms, `${label} answered`, () => {
          signal.removeEventListener('abort', abort);
          resolve(outcome);
        });
      world.scheduler.after(immortal(`${owner.name} wire`), latency(world), `${label} arrives`, () => {
        // What a dead relay had sent may be lost with its connection.
        if (!owner.isAlive && world.tape.chance(500)) return;
        const receipt: Receipt = {
          request,
          run,
          sequence,
          worker: owner.name,
          sentAt,
          began,
          status: null,
          retryAfterS: null,
          retryAt: null,
          isTaken: false,
        };
        const [outcome, ms] = this.receive(receipt);
        if (owner.isAlive) done(outcome, ms);
      });
    });
  }

  private receive(receipt: Receipt): [SendOutcome, number?] {
    const { receipts, mostFailures } = this.world.ledger;
    const before = receipts.filter((r) => r.run === receipt.run && r.sequence === receipt.sequence).length;
    receipts.push(receipt);
    const fault = before < mostFailures ? this.fault(receipt) : null;
    switch (fault) {
      case 'receiverResets':
        return [{ kind: 'failed', reason: 'the connection was reset' }];
      case 'receiverHangs':
        return [{ kind: 'failed', reason: 'no answer' }, TIMEOUT_MS];
      case 'receiverForgets':
        receipt.isTaken = true;
        return [{ kind: 'failed', reason: 'the connection broke' }];
      case 'receiver500':
        return [this.answer(receipt, 500)];
      case 'receiverRedirects':
        return [this.answer(receipt, 302)];
      case 'receiverGone':
        return [this.answer(receipt, 410)];
      case 'receiverAsksPatience':
        receipt.retryAfterS = this.patience();
        return [this.answer(receipt, 503)];
      default:
        receipt.isTaken = true;
        return [this.answer(receipt, 204)];
    }
  }

  private fault({ run, sequence }: Receipt): (typeof FAULTS)[number] | null {
    const { tape, ledger, marks } = this.world;
    const { down, receipts, mostFailures } = ledger;
    const isFirst = sequence === 1 && receipts.filter((receipt) => receipt.run === run).length === 1;
    if (isFirst && mostFailures > PATIENCE_S.length && tape.choose(4) === 3) down.add(run);
    if (down.has(run)) {
      marks.hit('receiver is down');
      return FAULTS[tape.choose(3)] ?? null;
    }
    return FAULTS.find((fault) => strikes(this.world, fault)) ?? null;
  }

  private patience(): number {
    const { tape, ledger } = this.world;
    const choices = ledger.mostFailures > PATIENCE_S.length ? LONG_PATIENCE_S : PATIENCE_S;
    return choices[tape.choose(choices.length)] ?? 1;
  }

  private answer(receipt: Receipt, status: number): SendOutcome {
    receipt.status = status;
    return { kind: 'answered', status, retryAfter: this.retryAfter(receipt), body: '' };
  }

  /** In seconds, or as a date. */
  private retryAfter(receipt: Receipt): string | null {
    const { scheduler, tape } = this.world;
    const { retryAfterS } = receipt;
    if (retryAfterS === null || tape.choose(2) === 0)
      return retryAfterS === null ? null : String(retryAfterS);
    receipt.retryAt = Math.ceil(scheduler.now / 1000 + retryAfterS) * 1000;
    return new Date(receipt.retryAt).toUTCString();
  }
}

const FAULTS = [
  'receiver500',
  'receiverHangs',
  'receiverResets',
  'receiverForgets',
  'receiverRedirects',
  'receiverGone',
  'receiverAsksPatience',
] as const satisfies readonly Fault[];
