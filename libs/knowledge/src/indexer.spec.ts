import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { documentStream } from '#domain';
import { newEvent } from '#event-log';
import { SystemRandom } from '#platform';
import { KnowledgeClient } from '../../../test/support/knowledge-client.js';
import { KnowledgeHouse } from '../../../test/support/knowledge-house.js';
import { KeptLogger } from '../../../test/support/read-models-fixture.js';
import { until } from '../../../test/support/until.js';

const DOCUMENT = 'doc_that_no_version_wrote';

describe('an event of a document that cannot be applied', () => {
  const logger = new KeptLogger();
  let service: KnowledgeHouse;
  const client = new KnowledgeClient(() => service.origin);
  beforeAll(async () => void (service = await KnowledgeHouse.open({ knowledge: { logger } })));
  afterAll(() => service.close());

  it('is parked and told of, and what comes after it is applied', async () => {
    const before = await client.documents('before');
    // What is said again is a document; where it is nothing, no row can be made of it.
    const data = { passages: 1, pages: null, again: null };
    const event = { id: new SystemRandom().uuid(), type: 'document_indexed', time: Date.now(), data };
    const meta = { schemaVersion: 1, project: 'one', actor: 'key_one' };
    await service.log.append(documentStream(DOCUMENT), [newEvent(event, meta)], { expected: 'any' });
    const after = await client.documents('after');

    await until(() => logger.says('an event of a datastore cannot be applied'));
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: 'an event of a datastore cannot be applied',
      fields: { err: expect.any(TypeError), stream: documentStream(DOCUMENT), type: 'document_indexed' },
    });
    const { body } = await client.ask('GET', '/datastores');
    expect(body.items?.map((item) => item['datastore_id'])).toEqual([after, before]);
    const { rows } = await service.models.database.query({
      text: 'SELECT id FROM annals_knowledge.documents',
    });
    expect(rows).toEqual([]);
  });
});
