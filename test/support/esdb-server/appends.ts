import { appendAnswer, callError, notHandled, notLeader, statusOf } from './answers.js';
import type { Fault, Faults } from './faults.js';
import type { EsdbStore, Expected, Outcome, Proposal } from './store.js';
import {
  type AppendReq,
  type AppendResp,
  type BatchAppendReq,
  type BatchAppendResp,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServiceError,
  shared,
  streams,
} from './stubs.js';

export type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** The call that carries appends: each is stored when its last part is there, and answered in its own time. */
export function handleBatchAppends(store: EsdbStore, faults: Faults, call: BatchCall): void {
  const parts = new Map<string, { first: BatchAppendReq; proposals: Proposal[] }>();
  call.on('data', (request: BatchAppendReq) => {
    const id = request.getCorrelationId()?.getString() ?? '';
    const append = parts.get(id) ?? { first: request, proposals: [] };
    append.proposals.push(...request.getProposedMessagesList().map(proposalOf));
    parts.set(id, append);
    if (!request.getIsFinal()) return;
    parts.delete(id);
    const work = (): Outcome =>
      store.append(streamOf(append.first), expectedOf(append.first), append.proposals);
    const fault = faults.next('append');
    if (fault === undefined) call.write(appendAnswer(append.first, work()));
    else misbehave(call, append.first, fault, work);
  });
  call.on('end', () => call.end());
  call.on('error', () => undefined);
}

function misbehave(call: BatchCall, request: BatchAppendReq, fault: Fault, work: () => Outcome): void {
  const answer = (outcome: Parameters<typeof appendAnswer>[1]): void =>
    void call.write(appendAnswer(request, outcome));
  if ('stored' in fault && fault.stored) work();
  switch (fault.kind) {
    case 'silence':
      return;
    case 'end':
      return void call.end();
    case 'error':
      return void call.emit('error', callError(fault.code, fault.details ?? 'fault'));
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
      return answer(statusOf('Timeout', new shared.Timeout(), 'Timeout'));
    case 'not-leader':
      return void call.emit('error', notLeader(fault.leader));
  }
}

const streamOf = (request: BatchAppendReq): string =>
  Buffer.from(request.getOptions()?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();

function expectedOf(request: BatchAppendReq): Expected {
  const options = request.getOptions();
  if (options === undefined || options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return Number(options.getStreamPosition());
}

function proposalOf(message: BatchAppendReq.ProposedMessage | AppendReq.ProposedMessage): Proposal {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

/** The unbatched way, which the client takes when credentials come with each call. */
export function handleAppend(
  store: EsdbStore,
  call: ServerReadableStream<AppendReq, AppendResp>,
  answer: (error: ServiceError | null, response?: AppendResp) => void,
): void {
  let stream = '';
  let expected: Expected = 'any';
  const proposals: Proposal[] = [];
  call.on('data', (request: AppendReq) => {
    const options = request.getOptions();
    if (options !== undefined) {
      stream = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
      if (options.hasNoStream()) expected = 'no_stream';
      else if (options.hasStreamExists()) expected = 'stream_exists';
      else if (options.hasRevision()) expected = Number(options.getRevision());
    }
    const message = request.getProposedMessage();
    if (message !== undefined) proposals.push(proposalOf(message));
  });
  call.on('end', () => answer(null, unbatchedAnswer(store.append(stream, expected, proposals))));
}

function unbatchedAnswer(outcome: Outcome): AppendResp {
  const answer = new streams.AppendResp();
  if (outcome.kind === 'success') {
    const success = new streams.AppendResp.Success();
    success.setCurrentRevision(String(outcome.revision));
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(outcome.position));
    position.setPreparePosition(String(outcome.position));
    success.setPosition(position);
    answer.setSuccess(success);
    return answer;
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (outcome.kind === 'wrong-version' && outcome.current >= 0)
    wrong.setCurrentRevision(String(outcome.current));
  else wrong.setCurrentNoStream(new shared.Empty());
  answer.setWrongExpectedVersion(wrong);
  return answer;
}
