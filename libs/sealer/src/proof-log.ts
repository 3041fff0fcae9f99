import { typedReader } from '#domain';
import { sha256, toHex, utf8 } from '#proof';

/** The stream of the house that says which keys sign, and what was signed. It names no key: nothing of it is secret. */
export const PROOF_STREAM = 'proof-log';

/** Of its events' envelopes. */
export const PROOF_META = { schemaVersion: 1, project: 'annals', actor: 'annals' };

/** Its events; their data in the order in which they are written. */
export type ProofLogEvent =
  | {
      readonly type: 'log_key_added';
      readonly data: {
        readonly origin: string;
        /** As others write it down (vkey). */
        readonly key: string;
        readonly number: number;
        /** The newest note of the origin that came before. */
        readonly before?: string;
      };
    }
  | { readonly type: 'log_key_retired'; readonly data: { readonly origin: string; readonly key: string } }
  | { readonly type: 'log_sealed'; readonly data: LoggedSeal };

/** A seal, as the log says it. */
export interface LoggedSeal {
  readonly origin: string;
  /** Id of the log. */
  readonly log: string;
  readonly seal: number;
  readonly size: number;
  readonly events: number;
  /** Hex. */
  readonly directory: string;
  /** The checkpoint with the cosignatures that it had then. */
  readonly note: string;
}

export const proofLogEvent = typedReader<ProofLogEvent>({
  log_key_added: true,
  log_key_retired: true,
  log_sealed: true,
});

const HOUSE = /^(?:proof-log$|keystore$|relay-|lease-)/;

/** Streams of the service's own. What comes to these alone is sealed with the next of another. */
export const isHouseStream = (stream: string): boolean => HOUSE.test(stream);

/** The same for whoever writes the event of a seal. */
export function sealedEventId(origin: string, seal: number): string {
  const hex = toHex(sha256(utf8(JSON.stringify(['log_sealed', origin, seal]))));
  // Version 8 of RFC 9562: made of a name, in our own way.
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}
