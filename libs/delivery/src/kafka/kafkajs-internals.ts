import { createRequire } from 'node:module';

/**
 * All that is used here of files of kafkajs that it does not promise. They are those of the exact version in package.json:
 * with another one `test/package-pins.spec.ts` says what to look at.
 */
const require = createRequire(import.meta.url);

/** What writes a request. */
export interface Encoder {
  readonly buffer: Buffer;
  writeString(text: string | null | undefined): Encoder;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeBuffer(bytes: Buffer): Encoder;
}

export interface ProduceFields {
  readonly acks: number;
  readonly timeout: number;
  readonly compression?: number;
  readonly transactionalId?: string | null;
  /** A 64-bit number of the client's own kind. */
  readonly producerId?: { toString(): string };
  readonly producerEpoch?: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly firstSequence: number;
      readonly messages: readonly object[];
    }[];
  }[];
}

/** Of the produce request, by its version: what makes a request of its fields. */
export type ProduceProtocol = (of: {
  version: number;
}) => (fields: ProduceFields) => { readonly request: { encode: () => Promise<Encoder> } };

/** The requests that wait on one connection. */
export interface RequestQueue {
  readonly pending: readonly unknown[];
  readonly throttledUntil: number;
  scheduleCheckPendingRequests: () => void;
}

/** The client asks this very object for its `protocol`, each time. */
export const produceRequest = require('kafkajs/src/protocol/requests/produce') as {
  protocol: ProduceProtocol;
};
export const RequestEncoder = require('kafkajs/src/protocol/encoder') as new (bytes: number) => Encoder;
export const crc32c = require('kafkajs/src/protocol/recordBatch/crc32C') as (bytes: Uint8Array) => number;
export const { prototype: requestQueue } = require('kafkajs/src/network/requestQueue') as {
  prototype: RequestQueue;
};
