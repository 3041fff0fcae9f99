import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import kafkajs from 'kafkajs';
import { type ProduceFields, type ProduceProtocol, produceRequest } from './kafkajs-internals.js';
import { useFastProduceEncoding } from './fast-produce-encoding.js';
import { partitionOfKey } from './partition-of-key.js';

const { protocol: plain } = produceRequest;

beforeAll(() => {
  jest.useFakeTimers({ now: 1_700_000_000_123 });
  useFastProduceEncoding();
});
afterAll(() => void jest.useRealTimers());

const bytesOf = async (protocol: ProduceProtocol, version: number, fields: ProduceFields): Promise<Buffer> =>
  (await protocol({ version })(fields).request.encode()).buffer;

const words = (bytes: number): string => 'wörd '.repeat(Math.ceil(bytes / 6)).slice(0, bytes);
const record = (i: number, bytes = i) => ({
  key: `ses_${i}`,
  value: i % 7 === 3 ? null : words(bytes),
  headers:
    i % 5 === 4 ? {} : { ce_id: `${i}`, 'content-type': 'application/json', ce_subject: words(i % 80) },
});
const fields = (messages: readonly object[]): ProduceFields => ({
  acks: -1,
  timeout: 30_000,
  transactionalId: 'annals.events-1',
  producerId: 9_007_199_254_740_993n,
  producerEpoch: 12,
  topicData: [
    { topic: 'annals.events', partitions: [{ partition: 3, firstSequence: 70_000, messages }] },
    {
      topic: 'annals.checkpoints',
      partitions: [{ partition: 0, firstSequence: 0, messages: [{ key: 'log', value: '{}' }] }],
    },
  ],
});

test.each([3, 4, 5, 6, 7])('writes what the client would write in version %i', async (version) => {
  const messages = Array.from({ length: 300 }, (_, i) => record(i));
  const lean = await bytesOf(produceRequest.protocol, version, fields(messages));
  expect(produceRequest.protocol).not.toBe(plain);
  expect(lean.equals(await bytesOf(plain, version, fields(messages)))).toBe(true);
});

test.each([0, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576, 3_000_000])(
  'writes what the client would write of %i bytes',
  async (bytes) => {
    const messages = [
      record(1, bytes),
      { key: null, value: words(bytes) },
      { ...record(2), key: words(bytes) },
    ];
    const lean = await bytesOf(produceRequest.protocol, 7, fields(messages));
    expect(lean.equals(await bytesOf(plain, 7, fields(messages)))).toBe(true);
  },
);

test.each([
  ['bytes', { key: 'k', value: Buffer.from([1, 2]) }],
  ['a time', { key: 'k', value: 'v', timestamp: '1700000000000' }],
  ['headers that repeat', { key: 'k', value: 'v', headers: { a: ['1', '2'] } }],
])('leaves %s to the client', async (_, message) => {
  const lean = await bytesOf(produceRequest.protocol, 7, fields([message]));
  expect(lean.equals(await bytesOf(plain, 7, fields([message])))).toBe(true);
});

test('chooses the partition that every client chooses', () => {
  const [ours, theirs] = [partitionOfKey(), kafkajs.Partitioners.DefaultPartitioner()];
  const partitionMetadata = Array.from({ length: 12 }, (_, partitionId) => ({
    partitionErrorCode: 0,
    partitionId,
    leader: 0,
    replicas: [],
    isr: [],
  }));
  const chosen = Array.from({ length: 200 }, (_, i) => {
    const key = `${words(i % 9)}${i}`;
    const of = { topic: 't', partitionMetadata, message: { key, value: null } };
    expect(ours(of)).toBe(theirs(of));
    return ours(of);
  });
  expect(new Set(chosen).size).toBe(12);
});
