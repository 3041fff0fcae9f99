import { describe, expect, it } from '@jest/globals';
import { type FieldError, Problem } from '#domain';
import { validated } from '../../edge/validation/validate.js';
import { NewDatastoreDto, newDatastoreOf } from './datastore.dto.js';

function errorsOf(sent: object): readonly FieldError[] {
  try {
    newDatastoreOf(validated(NewDatastoreDto, { name: 'd', ...sent }));
    return [];
  } catch (error) {
    if (error instanceof Problem) return error.more.errors ?? [];
    throw error;
  }
}

describe('metadata of a new datastore', () => {
  it.each([['postgres://a'], ['postgres://me:secret@db.example.com/shop'], ['nonsense'], [''], [7], [null]])(
    'of documents is told to be for databases, whatever it holds: %j',
    (connectionString) => {
      const message = 'is for databases only';
      const foreign = { path: 'metadata.connectionString', message };
      expect(errorsOf({ type: 'documents', metadata: { connectionString } })).toEqual([foreign]);
      expect(errorsOf({ metadata: { connectionString, readOnly: 'no' }, type: 'documents' })).toEqual([
        foreign,
        { path: 'metadata.readOnly', message },
      ]);
    },
  );

  it('of documents may be empty, and knows no other fields', () => {
    expect(errorsOf({ type: 'documents', metadata: {} })).toEqual([]);
    expect(errorsOf({ type: 'documents' })).toEqual([]);
    expect(errorsOf({ type: 'documents', metadata: { colour: 'red' } })).toEqual([
      { path: 'metadata.colour', message: 'is not a known field' },
    ]);
  });

  it('of a database says what is wrong with it', () => {
    const path = 'metadata.connectionString';
    expect(errorsOf({ type: 'database', metadata: { connectionString: 'postgres://a' } })).toEqual([
      { path, message: 'must name a user' },
    ]);
    expect(errorsOf({ type: 'database', metadata: {} })).toEqual([{ path, message: 'is required' }]);
    expect(errorsOf({ type: 'database', metadata: { connectionString: 'postgres://me@db/x' } })).toEqual([]);
  });
});
