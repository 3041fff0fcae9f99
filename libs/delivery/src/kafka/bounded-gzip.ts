import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import kafkajs from 'kafkajs';

/** Of a batch of records when it is unpacked: many times what the topics take. */
const MAX_BATCH_BYTES = 64 * 1024 * 1024;

const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);
let isBounded = false;

/**
 * The client unpacks a batch of records however large it becomes: one of 1 MB may be 1 GB, and would end the process
 * before anybody has seen a record of it, at every start.
 */
export function boundGzip(): void {
  if (isBounded) return;
  isBounded = true;
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  const make = CompressionCodecs[CompressionTypes.GZIP] as () => {
    compress(encoder: object): Promise<Buffer>;
  };
  const codec = make();
  CompressionCodecs[CompressionTypes.GZIP] = () => ({
    compress: (encoder: object) => codec.compress(encoder),
    decompress: (packed: Buffer) => unpack(packed, { maxOutputLength: MAX_BATCH_BYTES }),
  });
}
