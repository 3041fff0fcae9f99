import { notHandled, notLeader, refusedAppend, type StatusMessage, statusOf } from './answers.js';
import type { Fault, Faults } from './faults.js';
import type { ServerCall } from './grpc-server.js';
import { type AppendPart, readAppendPart, writeSuccess } from './messages.js';
import type { EsdbStore, Outcome } from './store.js';
import { shared } from './stubs.js';

const TIMEOUT = statusOf('Timeout', new shared.Timeout(), 'Timeout');

/** Appends that are under way at the same moment. A real server answers some of the repeats among them with a timeout. */
class UnderWay {
  private readonly counts = new Map<string, number>();

  /** Whether this one is a repeat that the server gives up on. */
  isGivenUp({ stream, proposals }: AppendPart): boolean {
    const name = `${stream} ${proposals[0]?.id}`;
    const count = (this.counts.get(name) ?? 0) + 1;
    this.counts.set(name, count);
    setImmediate(() => this.counts.delete(name));
    return count > 2;
  }
}

/** The call that carries appends: each is stored when its last part is there, and answered in its own time. */
export function handleBatchAppends(store: EsdbStore, faults: Faults, call: ServerCall): void {
  const begun = new Map<string, AppendPart>();
  const underWay = new UnderWay();
  call.on('message', (bytes: Buffer) => {
    const part = readAppendPart(bytes);
    const append = begun.get(part.correlation) ?? part;
    if (append !== part) append.proposals.push(...part.proposals);
    if (!part.isFinal) return void begun.set(part.correlation, append);
    begun.delete(part.correlation);
    const work = (): Outcome => store.append(append.stream, append.expected, append.proposals);
    if (underWay.isGivenUp(append)) return answerTo(call, append, TIMEOUT);
    const fault = faults.next('append');
    if (fault === undefined) answerTo(call, append, work());
    else misbehave(call, append, fault, work);
  });
  call.on('half-close', () => call.end());
}

function answerTo(call: ServerCall, append: AppendPart, outcome: Outcome | StatusMessage): void {
  if ('kind' in outcome && outcome.kind === 'success')
    call.answer((writer) => writeSuccess(writer, append, outcome));
  else call.write(refusedAppend(append, outcome));
}

function misbehave(call: ServerCall, append: AppendPart, fault: Fault, work: () => Outcome): void {
  const answer = (outcome: Outcome | StatusMessage): void => answerTo(call, append, outcome);
  if ('stored' in fault && fault.stored) work();
  switch (fault.kind) {
    case 'silence':
      return;
    case 'end':
      return call.end();
    case 'error':
      return call.end({ code: fault.code, details: fault.details ?? 'fault' });
    case 'slow':
      return void setTimeout(() => answer(work()), fault.ms);
    case 'twice': {
      const outcome = work();
      answer(outcome);
      return answer(outcome);
    }
    case 'busy':
      return answer(notHandled('Server Is Busy'));
    case 'not-ready':
      return answer(notHandled('Server Is Not Ready'));
    case 'denied':
      return answer(statusOf('Access Denied', new shared.AccessDenied(), 'AccessDenied'));
    case 'no-details':
      return answer(statusOf('something went wrong', null, ''));
    case 'timeout':
      return answer(TIMEOUT);
    case 'not-leader':
      return call.end(notLeader(fault.leader));
    case 'stale':
    case 'cut':
      throw new Error(`an append has no fault ${fault.kind}`);
  }
}
