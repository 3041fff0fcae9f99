import { expect, test } from '@jest/globals';
import { type DatastoreEvent, type StoredFact, foldDatastore } from './datastore.js';
import { type DocumentEvent, foldDocument, sayAgain } from './document.js';

const FILE = {
  datastore: 'ds_a',
  filename: 'a.txt',
  bytes: 3,
  sha256: 'abc',
  upload: 'u',
  file: 'f',
  fileKey: 'k',
};

interface Under {
  readonly keyId?: string;
  readonly isErased?: boolean;
}

/** Events of a stream, the n-th of time n + 1. */
const factsOf = <E extends { readonly type: string; readonly data: object }>(
  events: readonly (readonly [E, Under])[],
): StoredFact<E>[] =>
  events.map(([event, { keyId, isErased = false }], revision) => ({
    ...event,
    ...(isErased ? { data: {} } : {}),
    time: revision + 1,
    revision,
    isErased,
    meta: { project: 'p', keyId },
  }));

const facts = (...events: readonly (readonly [DocumentEvent, Under])[]) => factsOf<DocumentEvent>(events);
const storeFacts = (...events: readonly (readonly [DatastoreEvent, Under])[]) =>
  factsOf<DatastoreEvent>(events);

const uploaded: DocumentEvent = { type: 'document_uploaded', data: FILE };
const indexed: DocumentEvent = { type: 'document_indexed', data: { passages: 7, pages: 2 } };
const deleted: DocumentEvent = { type: 'document_deleted', data: { keys: ['one'], upload: 'u' } };
const failed: DocumentEvent = {
  type: 'document_failed',
  data: { code: 'unprocessable', reason: 'the file holds no text' },
};

test.each([
  ['was indexed', indexed],
  ['failed', failed],
])(
  'a document that %s is the same when all of it is said again and what was said before is erased',
  (_, outcome) => {
    const before = foldDocument(
      'doc_a',
      facts([uploaded, { keyId: 'shared' }], [outcome, { keyId: 'shared' }]),
    );
    const erased = { keyId: 'shared', isErased: true };
    const again = [sayAgain(before!), { keyId: 'own' }] as const;
    const after = foldDocument('doc_a', facts([uploaded, erased], [outcome, erased], again));
    expect(after).toEqual({ ...before, revision: 2, keys: ['own'] });
    expect(before).toMatchObject({ keys: ['shared'], createdAt: 1, fileKey: 'k' });
    // Not erased yet, it has both keys, and the last one seals what comes.
    const both = facts([uploaded, { keyId: 'shared' }], [outcome, { keyId: 'shared' }], again);
    expect(foldDocument('doc_a', both)?.keys).toEqual(['shared', 'own']);
  },
);

test('a document whose upload is erased is none, and neither is one that was deleted; uploaded again it has its new key', () => {
  const erased = { keyId: 'one', isErased: true };
  expect(foldDocument('doc_a', facts([uploaded, erased], [indexed, erased]))).toBeNull();
  const again = facts([uploaded, erased], [indexed, erased], [deleted, {}], [uploaded, { keyId: 'two' }]);
  expect(foldDocument('doc_a', again)).toMatchObject({ keys: ['two'], status: 'processing', createdAt: 4 });
  expect(foldDocument('doc_a', again.slice(0, 3))).toBeNull();
});

test('a datastore is what its last key tells; when all is erased, or it was deleted, it is none', () => {
  const created: DatastoreEvent = { type: 'datastore_created', data: { name: 'shop', type: 'database' } };
  const connected: DatastoreEvent = {
    type: 'datastore_created',
    data: { name: 'shop', type: 'database', connection: 'k1.two.x', created_at: 1 },
  };
  const gone = { keyId: 'one', isErased: true };
  const said = storeFacts([created, gone], [connected, { keyId: 'two' }]);
  expect(foldDatastore('ds_a', said)).toMatchObject({
    name: 'shop',
    connection: 'k1.two.x',
    createdAt: 1,
    keys: ['one', 'two'],
  });
  expect(foldDatastore('ds_a', storeFacts([created, gone]))).toBeNull();
  const deletion: DatastoreEvent = { type: 'datastore_deleted', data: { keys: ['one', 'two'] } };
  expect(
    foldDatastore('ds_a', storeFacts([created, gone], [connected, { keyId: 'two' }], [deletion, {}])),
  ).toBeNull();
});
