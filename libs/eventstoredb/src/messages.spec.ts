import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type EventMeta,
  newEvent,
  type Expected,
  decodeRows,
  commitmentOf,
  PageRows,
  ThreadKeys,
} from '#event-log';
import { writeAppend } from './append-request.js';
import { PREFIX_BYTES } from './grpc/frames.js';
import { ProtoWriter } from './proto-writer.js';
import { correlationOf, readAnswer, readAppendAnswer, type ServerRecord } from './server-answers.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { PATHS, shared, streams } from './stubs.js';
import { rowOf, wireDataOf, wireEventOf } from './wire-event.js';

/** The messages that are written and read by hand, held against the generated code. */

const PREV = 'ab'.repeat(32);
const ID = '0190b0a0-1111-4222-8333-444455556666';
const text = (unit: 'binary' | 'grapheme' = 'binary') => fc.string({ unit, maxLength: 300 });
const wellFormed = text().map((value) => value.toWellFormed());
const revisions = fc.oneof(fc.nat(), fc.constantFrom(127, 128, 16_383, 16_384, 2 ** 32, 2 ** 53 - 1));

type Append = Parameters<typeof writeAppend>[2];

/** The bytes of the message, without gRPC's prefix. */
function encodeAppend(append: Append): Buffer {
  const writer = new ProtoWriter(10);
  writeAppend(writer, ID, append);
  const frame = writer.finish();
  expect(frame.readUIntBE(0, PREFIX_BYTES)).toBe(frame.length - PREFIX_BYTES);
  return frame.subarray(PREFIX_BYTES);
}

test('the paths of the calls are those of the generated services', () => {
  const { batchAppend, read } = streamsGrpc.StreamsService;
  const { getSupportedMethods } = featuresGrpc.ServerFeaturesService;
  expect(PATHS).toEqual({
    batchAppend: batchAppend.path,
    read: read.path,
    supportedMethods: getSupportedMethods.path,
  });
});

describe('an append', () => {
  const read = (bytes: Buffer) => streams.BatchAppendReq.deserializeBinary(new Uint8Array(bytes));

  test('is what the generated code reads', () => {
    const event = fc.record({
      id: fc.uuid(),
      type: wellFormed,
      time: fc.integer(),
      data: fc.dictionary(fc.string(), fc.jsonValue()),
      large: fc.constantFrom(0, 100, 130, 20_000),
    });
    fc.assert(
      fc.property(
        wellFormed,
        revisions,
        fc.array(event, { minLength: 1, maxLength: 5 }),
        (stream, expected, given) => {
          const meta: EventMeta = { schemaVersion: 1, project: 'pröject', actor: 'k', correlationId: 'c' };
          const events = given.map(({ data, large, ...rest }) =>
            newEvent({ ...rest, data: { ...data, fill: 'é'.repeat(large) } }, meta),
          );
          const wires = events.map((one) => wireEventOf(one, wireDataOf(null, stream, one), PREV));
          const request = read(encodeAppend({ stream, expected, events: wires }));
          expect(request.getCorrelationId()?.getString()).toBe(ID);
          expect(request.getIsFinal()).toBe(true);
          const options = request.getOptions();
          expect(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(
            stream,
          );
          expect(options?.getStreamPosition()).toBe(String(expected));
          const messages = request.getProposedMessagesList();
          expect(messages).toHaveLength(events.length);
          for (const [i, message] of messages.entries()) {
            expect(message.getId()?.getString()).toBe(events[i]!.id);
            expect(message.getMetadataMap().get('type')).toBe(events[i]!.type);
            expect(message.getMetadataMap().get('content-type')).toBe('application/json');
            expect(Buffer.from(message.getData_asU8()).toString()).toBe(events[i]!.json);
            expect(JSON.parse(Buffer.from(message.getCustomMetadata_asU8()).toString())).toEqual({
              time: events[i]!.time,
              commitment: commitmentOf(null, events[i]!.id, events[i]!.json),
              prev: PREV,
              schemaVersion: 1,
              project: 'pröject',
              actor: 'k',
              $correlationId: 'c',
            });
          }
        },
      ),
    );
  });

  test.each<[Expected, string]>([
    ['no_stream', 'NO_STREAM'],
    [-1, 'NO_STREAM'],
    ['any', 'ANY'],
    ['stream_exists', 'STREAM_EXISTS'],
    [0, 'STREAM_POSITION'],
  ])('expects %s', (expected, name) => {
    const meta = { schemaVersion: 1, project: 'p', actor: 'k' };
    const events = [newEvent({ id: ID, type: 't', time: 0, data: {} }, meta)];
    const wires = events.map((one) => wireEventOf(one, wireDataOf(null, 's', one), ''));
    const options = read(encodeAppend({ stream: 's', expected, events: wires })).getOptions();
    const cases = streams.BatchAppendReq.Options.ExpectedStreamPositionCase;
    expect(options?.getExpectedStreamPositionCase()).toBe(cases[name as keyof typeof cases]);
    expect(options?.hasDeadline()).toBe(false);
  });
});

describe('the answer to an append', () => {
  const answerOf = (last: number, position: number) => {
    const answer = new streams.BatchAppendResp();
    const success = new streams.BatchAppendResp.Success();
    success.setCurrentRevision(String(last));
    const place = new shared.AllStreamPosition();
    place.setCommitPosition(String(position));
    place.setPreparePosition('7');
    success.setPosition(place);
    answer.setSuccess(success);
    return answer;
  };
  const idOf = (id: string) => {
    const uuid = new shared.UUID();
    uuid.setString(id);
    return uuid;
  };

  test('is read as the generated code writes it', () => {
    fc.assert(
      fc.property(revisions, revisions, (last, position) => {
        const answer = answerOf(last, position);
        answer.setCorrelationId(idOf(ID));
        expect(readAppendAnswer(Buffer.from(answer.serializeBinary()))).toEqual({
          correlation: ID,
          success: { last, position },
          error: null,
        });
      }),
    );
  });

  test("has its id in the server's own spelling, too", () => {
    const answer = answerOf(3, 4);
    const numbers = new shared.UUID.Structured();
    numbers.setMostSignificantBits(String(BigInt.asIntN(64, 0xf190b0a011114222n)));
    numbers.setLeastSignificantBits(String(BigInt.asIntN(64, 0x8333444455556666n)));
    const uuid = new shared.UUID();
    uuid.setStructured(numbers);
    answer.setCorrelationId(uuid);
    expect(readAppendAnswer(Buffer.from(answer.serializeBinary()))).toMatchObject({
      correlation: correlationOf('f190b0a0111142228333444455556666'),
      success: { last: 3, position: 4 },
    });
  });
});

describe('the answer to a read', () => {
  const recordOf = (fields: Partial<ServerRecord>) => {
    const event = new streams.ReadResp.ReadEvent.RecordedEvent();
    const id = new shared.UUID();
    id.setString(fields.id ?? ID);
    event.setId(id);
    const stream = new shared.StreamIdentifier();
    stream.setStreamName(new TextEncoder().encode(fields.stream ?? 'annals.s'));
    event.setStreamIdentifier(stream);
    event.setStreamRevision(String(fields.revision ?? 0));
    event.setPreparePosition('1');
    event.setCommitPosition(String(fields.position ?? 1));
    event
      .getMetadataMap()
      .set('type', fields.type ?? 't')
      .set('created', '20000');
    event.setCustomMetadata(new TextEncoder().encode(fields.metadata ?? '{}'));
    event.setData(new TextEncoder().encode(fields.data ?? '{}'));
    const read = new streams.ReadResp.ReadEvent();
    read.setEvent(event);
    read.setCommitPosition('1');
    const answer = new streams.ReadResp();
    answer.setEvent(read);
    return Buffer.from(answer.serializeBinary());
  };

  test('is read as the generated code writes it', () => {
    const given = fc.record({
      id: fc.uuid(),
      stream: wellFormed,
      revision: revisions,
      position: revisions,
      type: wellFormed,
      metadata: wellFormed,
      data: wellFormed,
    });
    fc.assert(
      fc.property(given, (fields) => {
        expect(readAnswer(recordOf(fields)).record).toEqual({ ...fields, created: 20_000 });
      }),
    );
  });

  test('is nothing where it is not an event', () => {
    const confirmation = new streams.ReadResp();
    confirmation.setConfirmation(new streams.ReadResp.SubscriptionConfirmation());
    expect(readAnswer(Buffer.from(confirmation.serializeBinary()))).toEqual({ record: null });
  });

  test('that is cut off is an error', () => {
    const whole = recordOf({});
    for (let length = 1; length < whole.length; length++)
      expect(() => readAnswer(whole.subarray(0, length))).toThrow(/cut off/);
  });

  test('becomes an event, without the prefix; without an envelope its time is the server’s', () => {
    const event = (fields: Partial<ServerRecord>) => {
      const { row, stream } = rowOf(readAnswer(recordOf(fields)).record!, 'annals.');
      const rows = new PageRows(new ThreadKeys());
      rows.add(row, stream);
      return decodeRows(rows.page)[0]!;
    };
    const metadata = '{"time":5,"schemaVersion":1,"project":"p","actor":"k","$causationId":"x"}';
    expect(event({ metadata, data: '{"a":1}' })).toMatchObject({
      stream: 's',
      time: 5,
      data: { a: 1 },
      meta: { schemaVersion: 1, project: 'p', actor: 'k', causationId: 'x' },
    });
    for (const odd of ['', '[', '"text"', '{"time":"x"}']) expect(event({ metadata: odd }).time).toBe(2);
    expect(() => event({ revision: 2 ** 53 })).toThrow(/beyond 2\^53/);
  });
});
