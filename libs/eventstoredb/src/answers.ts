import type { StreamName } from '#domain';
import { EventTooLarge, LogUnavailable, AppendOutcomeUnknown } from '#event-log';
import { CallError, CODE } from './grpc/call-error.js';
import { shared, type Status } from './stubs.js';

/** The server's refusal of one append, by what it says of the outcome. */
export type Refusal =
  { readonly kind: 'conflict'; readonly actual: number } | { readonly kind: 'error'; readonly error: Error };

/** What the error in an answer means. Whatever is not known to be definite is an unknown outcome, "busy" included. */
export function refusalOf(status: Status, stream: StreamName): Refusal {
  const details = status.getDetails();
  // An error without details: the answer to this append, and nothing can be told from it.
  const name = details?.getTypeName() ?? '';
  const message = status.getMessage();
  const failed = (error: Error): Refusal => ({ kind: 'error', error });
  switch (name) {
    case 'event_store.client.WrongExpectedVersion': {
      const wrong = details?.unpack((bytes) => shared.WrongExpectedVersion.deserializeBinary(bytes), name);
      if (!wrong) break;
      const actual = wrong.hasCurrentStreamRevision()
        ? checkedNumber(Number(wrong.getCurrentStreamRevision()))
        : -1;
      return { kind: 'conflict', actual };
    }
    case 'event_store.client.MaximumAppendSizeExceeded': {
      const exceeded = details?.unpack(
        (bytes) => shared.MaximumAppendSizeExceeded.deserializeBinary(bytes),
        name,
      );
      return failed(new EventTooLarge(`the server takes ${exceeded?.getMaxappendsize()} bytes an append`));
    }
    case 'event_store.client.AccessDenied':
      return failed(new LogUnavailable(`the server denies this user to write ${stream}`));
    case 'event_store.client.StreamDeleted':
      return failed(new LogUnavailable(`${stream} was deleted on the server`));
  }
  return failed(
    new AppendOutcomeUnknown(`the server answered: ${message || name || 'an error without details'}`),
  );
}

/** A revision or position that the port can hold. @throws RangeError from 2^53 on */
export function checkedNumber(value: number): number {
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is beyond 2^53: this log cannot be followed by this program`);
  return value;
}

const isCode = (error: unknown, ...codes: readonly number[]): boolean =>
  error instanceof CallError && codes.includes(error.code);

/** What a failed call says, in one line. */
export function describe(error: unknown): string {
  if (isNotLeader(error)) return 'this node is not the leader';
  if (isDenied(error)) return 'it refuses the user or the password';
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0]!.slice(0, 300) || 'the connection broke';
}

export const isDenied = (error: unknown): boolean =>
  isCode(error, CODE.unauthenticated, CODE.permissionDenied);
export const isTooLate = (error: unknown): boolean => isCode(error, CODE.deadlineExceeded);
/** The server drops a live subscriber whom it finds too slow; a new subscription is the cure. */
export const isTooSlow = (error: unknown): boolean => isCode(error, CODE.aborted);

/** The node is not the leader; the next call goes to the leader that it names. */
export const isNotLeader = (error: unknown): boolean => exceptionOf(error) === 'not-leader';

/** EventStoreDB's own name for an error of a call. */
export const exceptionOf = (error: unknown): string | undefined =>
  error instanceof CallError ? error.exception : undefined;
