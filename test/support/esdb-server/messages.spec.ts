import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProtoWriter } from '../../../libs/eventstoredb/src/proto-writer.js';
import { ProtoReader } from '../../../libs/eventstoredb/src/proto-reader.js';
import { readAppendPart, readEvent, writeEvent, writeSuccess } from './messages.js';
import { type BatchAppendReq, shared, streams } from './stubs.js';

/** What the server reads and writes by hand, held against the client's generated code. */

const ID = '0190b0a0-1111-4222-8333-444455556666';
const text = fc.string({ unit: 'grapheme', maxLength: 300 }).map((value) => value.toWellFormed());
const bytes = fc.uint8Array({ maxLength: 500 });
const number = fc.oneof(fc.nat(), fc.constantFrom(0, 127, 128, 2 ** 32, 2 ** 53 - 1));
const proposal = fc.record({ id: fc.uuid(), type: text, contentType: text, data: bytes, metadata: bytes });

const written = (write: (writer: ProtoWriter) => void): Buffer => {
  const writer = new ProtoWriter(16);
  write(writer);
  return writer.finish();
};
const idOf = (value: string) => {
  const id = new shared.UUID();
  id.setString(value);
  return id;
};
const nameOf = (value: string) => {
  const name = new shared.StreamIdentifier();
  name.setStreamName(new TextEncoder().encode(value));
  return name;
};

test('an append is read as the generated code writes it', () => {
  const expectations = fc.oneof(number, fc.constantFrom('any', 'no_stream', 'stream_exists'));
  fc.assert(
    fc.property(text, expectations, fc.array(proposal, { maxLength: 4 }), fc.boolean(), (...given) => {
      const [stream, expected, proposals, isFinal] = given;
      const options = new streams.BatchAppendReq.Options();
      options.setStreamIdentifier(nameOf(stream));
      if (expected === 'any') options.setAny(new shared.Empty());
      else if (expected === 'no_stream') options.setNoStream(new shared.Empty());
      else if (expected === 'stream_exists') options.setStreamExists(new shared.Empty());
      else options.setStreamPosition(String(expected));
      const request = new streams.BatchAppendReq();
      request.setCorrelationId(idOf(ID));
      request.setOptions(options);
      request.setIsFinal(isFinal);
      for (const each of proposals) request.addProposedMessages(messageOf(each));
      const part = readAppendPart(Buffer.from(request.serializeBinary()));
      expect({
        ...part,
        proposals: part.proposals.map(({ data, metadata, ...rest }) => ({
          ...rest,
          data: [...data],
          metadata: [...metadata],
        })),
      }).toEqual({
        correlation: ID,
        stream,
        expected,
        isFinal,
        proposals: proposals.map(({ data, metadata, ...rest }) => ({
          ...rest,
          data: [...data],
          metadata: [...metadata],
        })),
      });
    }),
  );
});

function messageOf(given: {
  id: string;
  type: string;
  contentType: string;
  data: Uint8Array;
  metadata: Uint8Array;
}): BatchAppendReq.ProposedMessage {
  const message = new streams.BatchAppendReq.ProposedMessage();
  message.setId(idOf(given.id));
  message.getMetadataMap().set('type', given.type).set('content-type', given.contentType);
  message.setCustomMetadata(given.metadata);
  message.setData(given.data);
  return message;
}

test('an answer to an append is what the generated code reads', () => {
  fc.assert(
    fc.property(text, number, number, (stream, revision, position) => {
      const answer = streams.BatchAppendResp.deserializeBinary(
        written((writer) => writeSuccess(writer, { correlation: ID, stream }, { revision, position })),
      );
      expect(answer.getCorrelationId()?.getString()).toBe(ID);
      expect(Buffer.from(answer.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(stream);
      expect(answer.getSuccess()?.getCurrentRevision()).toBe(String(revision));
      expect(answer.getSuccess()?.getPosition()?.getCommitPosition()).toBe(String(position));
      expect(answer.getSuccess()?.getPosition()?.getPreparePosition()).toBe(String(position));
    }),
  );
});

test('an event is what the generated code reads', () => {
  fc.assert(
    fc.property(proposal, text, number, number, (given, stream, revision, position) => {
      const created = '123456789';
      const stored = { ...given, stream, revision, position, created };
      const bytes = written((writer) => writeEvent(writer, stored));
      const read = readEvent(new ProtoReader(bytes));
      expect({ ...read, data: [...read.data], metadata: [...read.metadata] }).toEqual({
        ...stored,
        data: [...stored.data],
        metadata: [...stored.metadata],
      });
      const event = streams.ReadResp.deserializeBinary(bytes).getEvent();
      const record = event?.getEvent();
      expect(event?.getCommitPosition()).toBe(String(position));
      expect(record?.getId()?.getString()).toBe(given.id);
      expect(Buffer.from(record?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(stream);
      expect(record?.getStreamRevision()).toBe(String(revision));
      expect([record?.getPreparePosition(), record?.getCommitPosition()]).toEqual([
        String(position),
        String(position),
      ]);
      expect(Object.fromEntries(record?.getMetadataMap().toArray() ?? [])).toEqual({
        type: given.type,
        'content-type': given.contentType,
        created,
      });
      expect([...(record?.getCustomMetadata_asU8() ?? [])]).toEqual([...given.metadata]);
      expect([...(record?.getData_asU8() ?? [])]).toEqual([...given.data]);
    }),
  );
});
