import type { AppendPart } from './messages.js';
import type { Outcome } from './store.js';
import type { Failure } from './grpc-server.js';
import { Any, features, gossip, shared, status, streams } from './stubs.js';

export type StatusMessage = InstanceType<typeof status.Status>;

export type Refusal = Exclude<Outcome, { kind: 'success' }>;

/** The answer to one append of a batch call that is not stored. */
export function refusedAppend({ correlation }: AppendPart, outcome: Refusal | StatusMessage): Uint8Array {
  const answer = new streams.BatchAppendResp();
  const id = new shared.UUID();
  id.setString(correlation);
  answer.setCorrelationId(id);
  answer.setError('kind' in outcome ? refusalOf(outcome) : outcome);
  return answer.serializeBinary();
}

function refusalOf(outcome: Refusal): StatusMessage {
  if (outcome.kind === 'too-large') {
    const exceeded = new shared.MaximumAppendSizeExceeded();
    exceeded.setMaxappendsize(outcome.limit);
    return statusOf('Maximum Append Size Exceeded', exceeded, 'MaximumAppendSizeExceeded');
  }
  const wrong = new shared.WrongExpectedVersion();
  if (outcome.current < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentStreamRevision(String(outcome.current));
  return statusOf('Wrong Expected Version', wrong, 'WrongExpectedVersion');
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

export function confirmation(): Uint8Array {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId('protocol-server');
  const answer = new streams.ReadResp();
  answer.setConfirmation(confirmed);
  return answer.serializeBinary();
}

export function caughtUp(): Uint8Array {
  const answer = new streams.ReadResp();
  answer.setCaughtUp(new streams.ReadResp.CaughtUp());
  return answer.serializeBinary();
}

export function checkpoint(position: number): Uint8Array {
  const reached = new streams.ReadResp.Checkpoint();
  reached.setCommitPosition(String(position));
  reached.setPreparePosition(String(position));
  const answer = new streams.ReadResp();
  answer.setCheckpoint(reached);
  return answer.serializeBinary();
}

export function streamNotFound(name: Uint8Array): Uint8Array {
  const missing = new streams.ReadResp.StreamNotFound();
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(name);
  missing.setStreamIdentifier(identifier);
  const answer = new streams.ReadResp();
  answer.setStreamNotFound(missing);
  return answer.serializeBinary();
}

export function supportedMethods(version: string): Uint8Array {
  const answer = new features.SupportedMethods();
  answer.setEventStoreServerVersion(version);
  for (const name of ['Append', 'BatchAppend', 'Read']) {
    const method = new features.SupportedMethod();
    method.setServiceName('event_store.client.streams.Streams');
    method.setMethodName(name);
    answer.addMethods(method);
  }
  return answer.serializeBinary();
}

/** A cluster of one, whose leader is at the address. */
export function clusterOf(host: string, port: number): Uint8Array {
  const endPoint = new gossip.EndPoint();
  endPoint.setAddress(host);
  endPoint.setPort(port);
  const member = new gossip.MemberInfo();
  member.setIsAlive(true);
  member.setState(gossip.MemberInfo.VNodeState.LEADER);
  member.setHttpEndPoint(endPoint);
  const cluster = new gossip.ClusterInfo();
  cluster.addMembers(member);
  return cluster.serializeBinary();
}

const NOT_FOUND = 5;

/** What a node answers that does not lead: EventStoreDB's own name for it, and who does. */
export const notLeader = ({ host, port }: { host: string; port: number }): Failure => ({
  code: NOT_FOUND,
  details: `Leader info available: ${host}:${port}`,
  headers: {
    exception: 'not-leader',
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  },
});
