import type { Outcome, Stored } from './store.js';
import {
  Any,
  type BatchAppendReq,
  type BatchAppendResp,
  features,
  grpc,
  gossip,
  type ServiceError,
  shared,
  status,
  streams,
} from './stubs.js';

type StatusMessage = InstanceType<typeof status.Status>;

/** The answer to one append of a batch call. */
export function appendAnswer(request: BatchAppendReq, outcome: Outcome | StatusMessage): BatchAppendResp {
  const answer = new streams.BatchAppendResp();
  answer.setCorrelationId(request.getCorrelationId());
  answer.setStreamIdentifier(request.getOptions()?.getStreamIdentifier());
  if (outcome instanceof status.Status) answer.setError(outcome);
  else if (outcome.kind === 'success') answer.setSuccess(successOf(outcome.revision, outcome.position));
  else if (outcome.kind === 'too-large') {
    const exceeded = new shared.MaximumAppendSizeExceeded();
    exceeded.setMaxappendsize(outcome.limit);
    answer.setError(statusOf('Maximum Append Size Exceeded', exceeded, 'MaximumAppendSizeExceeded'));
  } else {
    const wrong = new shared.WrongExpectedVersion();
    if (outcome.current < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentStreamRevision(String(outcome.current));
    answer.setError(statusOf('Wrong Expected Version', wrong, 'WrongExpectedVersion'));
  }
  return answer;
}

function successOf(revision: number, position: number): BatchAppendResp.Success {
  const success = new streams.BatchAppendResp.Success();
  success.setCurrentRevision(String(revision));
  const place = new shared.AllStreamPosition();
  place.setCommitPosition(String(position));
  place.setPreparePosition(String(position));
  success.setPosition(place);
  return success;
}

export function statusOf(
  message: string,
  details: { serializeBinary(): Uint8Array } | null,
  name: string,
): StatusMessage {
  const answer = new status.Status();
  answer.setMessage(message);
  if (details === null) return answer;
  const any = new Any();
  any.pack(details.serializeBinary(), name.includes('.') ? name : `event_store.client.${name}`);
  answer.setDetails(any as Parameters<StatusMessage['setDetails']>[0]);
  return answer;
}

/** "Server Is Busy" has details that say nothing, which the client does not recognise. */
export const notHandled = (message: string): StatusMessage =>
  statusOf(message, new shared.Empty(), 'google.protobuf.Empty');

/** The answer that carries an event, as bytes: made once for all who read it. */
export function eventAnswer(record: Stored): Buffer {
  if (record.encoded !== undefined) return record.encoded;
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  const id = new shared.UUID();
  id.setString(record.id);
  event.setId(id);
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(new TextEncoder().encode(record.stream));
  event.setStreamIdentifier(stream);
  event.setStreamRevision(String(record.revision));
  event.setCommitPosition(String(record.position));
  event.setPreparePosition(String(record.position));
  event
    .getMetadataMap()
    .set('type', record.type)
    .set('content-type', record.contentType)
    .set('created', record.created);
  event.setCustomMetadata(record.metadata);
  event.setData(record.data);
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition(String(record.position));
  const answer = new streams.ReadResp();
  answer.setEvent(read);
  return (record.encoded = Buffer.from(answer.serializeBinary()));
}

export function confirmation(): Buffer {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId('protocol-server');
  const answer = new streams.ReadResp();
  answer.setConfirmation(confirmed);
  return Buffer.from(answer.serializeBinary());
}

export function caughtUp(): Buffer {
  const answer = new streams.ReadResp();
  answer.setCaughtUp(new streams.ReadResp.CaughtUp());
  return Buffer.from(answer.serializeBinary());
}

export function checkpoint(position: number): Buffer {
  const reached = new streams.ReadResp.Checkpoint();
  reached.setCommitPosition(String(position));
  reached.setPreparePosition(String(position));
  const answer = new streams.ReadResp();
  answer.setCheckpoint(reached);
  return Buffer.from(answer.serializeBinary());
}

export function streamNotFound(name: Uint8Array): Buffer {
  const missing = new streams.ReadResp.StreamNotFound();
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(name);
  missing.setStreamIdentifier(identifier);
  const answer = new streams.ReadResp();
  answer.setStreamNotFound(missing);
  return Buffer.from(answer.serializeBinary());
}

export function supportedMethods(version: string): InstanceType<typeof features.SupportedMethods> {
  const answer = new features.SupportedMethods();
  answer.setEventStoreServerVersion(version);
  for (const name of ['Append', 'BatchAppend', 'Read']) {
    const method = new features.SupportedMethod();
    method.setServiceName('event_store.client.streams.Streams');
    method.setMethodName(name);
    answer.addMethods(method);
  }
  return answer;
}

/** A cluster of one, whose leader is at the address. */
export function clusterOf(host: string, port: number): InstanceType<typeof gossip.ClusterInfo> {
  const endPoint = new gossip.EndPoint();
  endPoint.setAddress(host);
  endPoint.setPort(port);
  const member = new gossip.MemberInfo();
  member.setIsAlive(true);
  member.setState(gossip.MemberInfo.VNodeState.LEADER);
  member.setHttpEndPoint(endPoint);
  const cluster = new gossip.ClusterInfo();
  cluster.addMembers(member);
  return cluster;
}

/** A failure of a whole call; `exception` is EventStoreDB's own name for it. */
export function callError(code: number, details: string, headers: Record<string, string> = {}): ServiceError {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const error: object = Object.assign(new Error(details), { code, details, metadata });
  return error as ServiceError;
}

const NOT_FOUND = 5;
export const notLeader = ({ host, port }: { host: string; port: number }): ServiceError =>
  callError(NOT_FOUND, `Leader info available: ${host}:${port}`, {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
