import { typedReader } from '#domain';

/** The stream of the house that says which keys sign, and what was signed. It names no key: nothing of it is secret. */
export const PROOF_STREAM = 'proof-log';

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
  | { readonly type: 'log_key_retired'; readonly data: { readonly origin: string; readonly key: string } };

export const proofLogEvent = typedReader<ProofLogEvent>({ log_key_added: true, log_key_retired: true });
