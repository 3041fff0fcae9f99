import { afterEach, describe, expect, test } from '@jest/globals';
import { type Extraction, Extractor, type Reading } from '#extraction';
import { SystemClock } from '#platform';
import { HastyClock } from '../support/hasty-clock.js';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { until } from '../support/until.js';

/** Begins what it is given, and comes to nothing. */
class FailingExtractor extends Extractor {
  begun = 0;

  constructor(private readonly failure: Error) {
    super();
  }

  override async extract({ begin }: Reading): Promise<Extraction> {
    const refused = await begin();
    if (refused !== null) return refused;
    this.begun += 1;
    throw this.failure;
  }

  override async close(): Promise<void> {}
}

/** Finds one passage after the other. */
class EndlessExtractor extends Extractor {
  override async extract({ begin, take }: Reading): Promise<Extraction> {
    await begin();
    const passages = [{ text: 'the whale, the whale', page: null, heading: '', position: 0 }];
    for (;;) await take({ passages, language: 'english' });
  }

  override async close(): Promise<void> {}
}

/** Ten minutes are over at once. */
class ImpatientClock extends SystemClock {
  override timer(ms: number, fire: () => void): () => void {
    return super.timer(ms === 600_000 ? 0 : ms, fire);
  }
}

/** Has no turn for anybody. */
class BusyExtractor extends Extractor {
  override extract({ signal }: Reading): Promise<Extraction> {
    return new Promise((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
  }

  override async close(): Promise<void> {}
}

let house: KnowledgeHouse;
const client = new KnowledgeClient(() => house.origin);
afterEach(() => house.close());

/** A document that is not read within the time of an answer. */
async function upload(extractor: Extractor): Promise<string> {
  house = await KnowledgeHouse.open({ knowledge: { extractor, clock: new HastyClock(4) } });
  const datastore = await client.documents();
  const { status, body } = await client.upload(datastore, 'whale.txt', 'not read by anyone');
  expect([status, body['status']]).toEqual([201, 'processing']);
  return String(body['document_id']);
}

interface Held {
  readonly attempts: number;
  readonly isHeld: boolean;
}

async function held(): Promise<readonly Held[]> {
  const text = `SELECT attempts, held_until > now() AS "isHeld" FROM annals_knowledge.texts`;
  return (await house.models.database.query({ text })).rows as Held[];
}

/** Whoever held it has not been heard of for long. @param attempts nothing happens where another one has begun */
const lapse = (attempts: number) =>
  house.models.database.query({
    text: `UPDATE annals_knowledge.texts SET held_until = '-infinity' WHERE attempts = ${attempts}`,
  });

const fault = (message: string, about: object): Error => Object.assign(new Error(message), about);

describe('a document whose reading comes to nothing', () => {
  test.each([
    ['a fault of ours', new Error('a fault of ours')],
    [
      'a statement that takes the database too long',
      fault('it does not answer', { name: 'ReadModelsUnavailable', isStatementTimeout: true }),
    ],
  ])('through %s is counted each time it was begun, and failed after the third', async (_, failure) => {
    const extractor = new FailingExtractor(failure);
    const id = await upload(extractor);
    for (const n of [1, 2, 3]) {
      await until(async () => extractor.begun >= n && ((await held())[0]?.attempts ?? 0) >= n);
      // A start lets go of what is held, before it reads for the second time: the first attempt may be over already.
      if (n > 1) expect(await held()).toEqual([{ attempts: n, isHeld: true }]);
      await lapse(n);
    }
    await until(async () => (await client.ask('GET', `/documents/${id}`)).body['status'] === 'failed');
    expect(extractor.begun).toBe(3);
    const message = 'the service ended, or failed, 3 times while it read the file';
    expect((await client.ask('GET', `/documents/${id}`)).body['error']).toEqual({
      code: 'unprocessable',
      message,
    });
  });

  test.each([
    ['the disk that its file lies on', fault('EIO: i/o error, read', { code: 'EIO', syscall: 'read' })],
    ['the database', fault('it is away', { name: 'ReadModelsUnavailable' })],
    ['the machine, which has no room for a reader', fault('it did not start', { name: 'ProcessNotStarted' })],
  ])('through %s is not counted', async (_, failure) => {
    const extractor = new FailingExtractor(failure);
    await upload(extractor);
    for (let begun = 1; begun < 3; begun++) {
      await until(async () => (await held())[0]?.attempts === 0);
      await until(async () => {
        await lapse(0);
        return extractor.begun > begun;
      });
    }
    await until(async () => (await held())[0]?.attempts === 0);
  });

  test('within ten minutes is failed for that', async () => {
    house = await KnowledgeHouse.open({
      knowledge: { extractor: new EndlessExtractor(), clock: new ImpatientClock() },
    });
    const { status, body } = await client.upload(await client.documents(), 'whale.txt', 'not read by anyone');
    expect([status, body['detail']]).toEqual([422, 'the file takes too long to index: more than 600 s']);
    expect(await held()).toEqual([]);
  });

  test('because it only waited is not counted, and is let go of when the service stops', async () => {
    await upload(new BusyExtractor());
    // Whoever answered may let go of it before the next one takes it up.
    await until(async () => (await held())[0]?.isHeld === true);
    expect(await held()).toEqual([{ attempts: 0, isHeld: true }]);
    await house.knowledge.close();
    expect(await held()).toEqual([{ attempts: 0, isHeld: false }]);
  });
});
