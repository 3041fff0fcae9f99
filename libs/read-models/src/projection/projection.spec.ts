import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { asSessionEvent, sessionStream } from '#domain';
import { ContentStore } from '#vault';
import { type RecordedEvent, collect, newEvent } from '#event-log';
import { ProcessBackground, SystemClock, SystemRandom } from '#platform';
import { CheckpointMoved } from '#postgres';
import { PlainContentCodec } from '../content-codec.js';
import { rebuildReadModels } from '../rebuild.js';
import { Database } from '../postgres/database.js';
import { messagesIn } from '../postgres/message-parts.js';
import { PostgresReadModelStore } from '../postgres/postgres-store.js';
import { RebuildTables } from '../postgres/rebuild-tables.js';
import { REBUILD_SCHEMA, SCHEMA } from '../postgres/schema.js';
import { NO_CHANGES } from './rows.js';
import { MetadataTokens } from '../metadata-tokens.js';
import { Projector } from './projector.js';
import { historyOnLog } from '../../../../test/support/log-history.js';
import {
  METADATA_SECRET,
  append,
  type Fixture,
  KeptLogger,
  newSession,
  openFixture,
  opening,
  requested,
  type Step,
  PROJECT,
} from '../../../../test/support/read-models-fixture.js';
import { seeded, Story } from '../../../../test/support/read-models-stories.js';
import { wholeHistory } from '../../../../test/support/whole-history.js';

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e9));
const STORIES = 12;
const STEPS = 400;

let fixture: Fixture;
let url: string;
let database: Database;

const options = () => ({
  databaseUrl: url,
  folder: '',
  log: fixture.log,
  files: fixture.files,
  metadataSecret: METADATA_SECRET,
  clock: new SystemClock(),
  random: new SystemRandom(),
  background: new ProcessBackground(fixture.logger),
  logger: fixture.logger,
});

beforeAll(async () => {
  fixture = await openFixture();
  const folder = join(fixture.folder, 'postgres');
  const port = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[3];
  const password = readFileSync(`${folder}.password`, 'utf8').trim();
  url = `postgres://annals:${password}@127.0.0.1:${port}/postgres`;
  database = new Database(options());
  await database.ready;
});
afterAll(async () => {
  await database.close();
  await fixture.close();
});

/** A projector of other tables than those that the service fills. */
const projector = (logger = new KeptLogger()): Projector =>
  new Projector({
    store: new PostgresReadModelStore(database, new PlainContentCodec(), REBUILD_SCHEMA),
    log: fixture.log,
    content: new ContentStore(fixture.files),
    tokens: new MetadataTokens(METADATA_SECRET),
    logger,
  });

const load = async (): Promise<{ projector: Projector; at: number }> => {
  const fresh = projector();
  return { projector: fresh, at: (await fresh.load())?.position ?? 0 };
};

const allEvents = async (): Promise<RecordedEvent[]> => {
  const events: RecordedEvent[] = [];
  for await (const batch of fixture.log.readAll()) events.push(...batch.events);
  return events;
};

const apply = (to: Projector, from: number, events: readonly RecordedEvent[]): Promise<void> =>
  to.apply({ logId: fixture.log.logId, events, from, to: events.at(-1)?.position ?? from });

/** What the tables say; without how far a fold may start, which depends on where batches ended. */
const tables = async (schema: string): Promise<unknown> => {
  const read = async (text: string) => (await database.query({ text })).rows as Record<string, unknown>[];
  const sessions = await read(`SELECT * FROM ${schema}.sessions ORDER BY session`);
  const runs = await read(`SELECT * FROM ${schema}.runs ORDER BY run_id`);
  return {
    sessions: sessions.map((row) => ({ ...row, folded_to: null })),
    runs: runs.map(({ last_event_id, ...rest }) => ({
      ...rest,
      last: rest['status'] === 'running' || last_event_id,
    })),
    messages: (await partsOf(schema)).flatMap(messagesOf),
  };
};

interface Part {
  readonly session: string;
  readonly revision: number;
  readonly contents: Buffer;
}

const partsOf = async (schema: string): Promise<readonly Part[]> => {
  const text = `SELECT session, revision, contents FROM ${schema}.messages ORDER BY session, revision`;
  return (await database.query({ text })).rows as Part[];
};

/** Which of them share a row depends on where batches ended, too. */
const messagesOf = ({ session, contents }: Part) =>
  messagesIn(session, { contents }, new PlainContentCodec()).map((message) => ({ session, ...message }));

/** The history as nothing but the log tells it. */
const onLog = async (session: string) => {
  const events = await collect(fixture.log.readStream(sessionStream(session)));
  return historyOnLog(events.map(asSessionEvent)).map(({ type, pieces }) => ({
    type,
    content: pieces.map(String).join(''),
  }));
};

describe(`the projection (SEED=${SEED})`, () => {
  const pick = seeded(SEED);
  let stories: Story[];
  beforeEach(() => new RebuildTables(database).create());
  beforeAll(async () => {
    stories = Array.from({ length: STORIES }, () => new Story(fixture.log, pick));
    for (let step = 0; step < STEPS; step++) await stories[pick(STORIES)]!.next();
  });

  it('makes the same tables of any split, over restarts, replays and rivals', async () => {
    const events = await allEvents();
    let { projector: mine, at } = await load();
    let rival = (await load()).projector;
    while (at < events.length) {
      const batch = events.slice(at, at + 1 + pick(pick(3) === 0 ? 200 : 12));
      // Before anything was written the rival is as good, and may be first: then mine reads on from its checkpoint.
      const isOurs = await apply(mine, at, batch).then(() => true, isMoved);
      if (isOurs) at += batch.length;
      else ({ projector: mine, at } = await load());
      const chance = pick(10);
      if (chance < 3) ({ projector: mine, at } = await load());
      // A rival that knows nothing of it refuses, and harms nothing.
      if (chance === 4) await apply(rival, 0, events.slice(0, at)).catch((error: unknown) => isMoved(error));
      if (chance === 5) {
        [mine, rival] = [rival, mine];
        at = (await mine.load())?.position ?? 0;
      }
      if (chance === 6) await expectHistories(stories.slice(0, 2));
    }
    await fixture.models.caughtUp();
    expect(await tables(REBUILD_SCHEMA)).toEqual(await tables(SCHEMA));
  });

  it('makes a history that is the fold of the log, before and after it has caught up', async () => {
    for (let step = 0; step < 200; step++) {
      const story = stories[pick(STORIES)]!;
      await story.next();
      if (pick(4) === 0)
        expect(await wholeHistory(fixture.models.history, PROJECT, story.session)).toEqual(
          await onLog(story.session),
        );
    }
    await fixture.models.caughtUp();
    await expectHistories(stories);
    for (const { session } of stories) {
      const { message_count } = await fixture.models.sessions.get(PROJECT, session);
      expect(message_count).toBe((await onLog(session)).length);
    }
  });

  it('is made anew by a rebuild, while the service goes on', async () => {
    let last = 0;
    const ended = new AbortController();
    const going = (async () => {
      while (!ended.signal.aborted) await stories[pick(STORIES)]!.next();
    })();
    const result = await rebuildReadModels({ ...options(), onProgress: (position) => (last = position) });
    ended.abort();
    await going;
    expect(result.events).toBeGreaterThan(STEPS);
    expect(last).toBeGreaterThan(STEPS);
    for (const story of stories) await story.end();
    await fixture.models.caughtUp();
    await expectHistories(stories);
    const live = await tables(SCHEMA);
    await rebuildReadModels(options());
    expect(await tables(SCHEMA)).toEqual(live);
  });

  it('still reads rows of the version before, which hold one message each', async () => {
    await fixture.models.caughtUp();
    const insert = `INSERT INTO ${SCHEMA}.messages (session, revision, type, is_file, contents) VALUES ($1, $2, $3, $4, $5)`;
    const [oldest] = await partsOf(SCHEMA);
    const { session, revision } = oldest!;
    const messages = messagesOf(oldest!);
    await database.query({
      text: `DELETE FROM ${SCHEMA}.messages WHERE session = $1 AND revision = $2`,
      values: [session, revision],
    });
    for (const [i, { type, pieces }] of messages.entries()) {
      const isFile = i === 0;
      const contents = Buffer.from(isFile ? JSON.stringify(pieces) : pieces.map(String).join(''));
      // Between those of the other parts: revisions are whole numbers, and so is the place before the first.
      const at = revision - messages.length + 1 + i;
      await database.query({ text: insert, values: [session, at, type, isFile, contents] });
    }
    await expectHistories(stories);
  });

  const expectHistories = async (of: readonly Story[]): Promise<void> => {
    for (const { session } of of)
      expect(await wholeHistory(fixture.models.history, PROJECT, session)).toEqual(await onLog(session));
  };
});

describe('a commit', () => {
  it('is its rows and its checkpoint, or neither', async () => {
    await new RebuildTables(database).create();
    const store = new PostgresReadModelStore(database, new PlainContentCodec(), REBUILD_SCHEMA);
    const at = (position: number) => ({ logId: 'a log', position });
    const parked = (stream: string) => ({ ...NO_CHANGES, parked: [{ stream, revision: 1, reason: 'none' }] });
    expect(await store.commit(NO_CHANGES, null, at(1))).toBe(true);
    // The checkpoint is written first, by a statement of its own; no table takes U+0000.
    await expect(store.commit(parked('a\0'), at(1), at(2))).rejects.toThrow();
    expect([await store.loadCheckpoint(), await store.loadParked()]).toEqual([at(1), []]);
    expect(await store.commit(parked('a'), at(1), at(2))).toBe(true);
    expect([await store.loadCheckpoint(), await store.loadParked()]).toEqual([at(2), parked('a').parked]);
  });
});

const isMoved = (error: unknown): void => expect(error).toBeInstanceOf(CheckpointMoved);

describe('a stream that cannot be projected', () => {
  it('is parked, loudly; the others go on, and it is tried again at the next start', async () => {
    const random = new SystemRandom();
    const [bad, good] = [newSession(), newSession()];
    await append(fixture.log, bad, opening(`run_${bad}_1`, 'known'));
    const meta = { schemaVersion: 1, project: PROJECT, actor: 'key_1' };
    const unknown = newEvent({ id: random.uuid(), type: 'session_moved', time: 1, data: {} }, meta);
    await fixture.log.append(sessionStream(bad), [unknown], { expected: 'any' });
    await append(fixture.log, good, opening(`run_${good}_1`, 'fine'));
    await append(fixture.log, bad, [{ type: 'messages_cleared', data: {} }]);

    expect(await fixture.models.runs.get(PROJECT, `run_${good}_1`)).toMatchObject({ status: 'running' });
    expect(await fixture.models.runs.get(PROJECT, `run_${bad}_1`)).toMatchObject({ status: 'running' });
    // What follows the event is not known, neither to the tables nor to the fold behind them.
    expect(await wholeHistory(fixture.models.history, PROJECT, bad)).toEqual([
      { type: 'user_message', content: 'known' },
    ]);
    const warnings = fixture.logger.lines.filter((line) => line.message.includes('parked a stream'));
    expect(warnings.map((line) => line.fields)).toEqual([
      { stream: sessionStream(bad), revision: 4, type: 'session_moved', reason: 'UnknownEventType' },
    ]);
    expect((await fixture.models.health()).projections).toEqual({
      ok: true,
      detail: 'streams that cannot be projected: 1',
    });

    const models = await fixture.reopen();
    await append(fixture.log, good, [{ type: 'messages_cleared', data: {} }]);
    await models.caughtUp();
    expect(models.parkedStreams()).toBe(1);
    expect(await wholeHistory(models.history, PROJECT, good)).toEqual([]);
  });

  it('is parked, too, when the tables cannot hold its event', async () => {
    const [bad, good] = [newSession(), newSession()];
    const poison = requested(`run_${bad}_2`, 'hi');
    await append(fixture.log, bad, opening(`run_${bad}_1`, 'known'));
    await append(fixture.log, bad, [{ ...poison, data: { ...poison.data, model: 'a\u0000' } } as Step]);
    await append(fixture.log, good, opening(`run_${good}_1`, 'fine'));
    await fixture.models.follower.reached(await fixture.log.head());
    expect(await fixture.models.runs.get(PROJECT, `run_${good}_1`)).toMatchObject({ status: 'running' });
    expect(await fixture.models.runs.get(PROJECT, `run_${bad}_1`)).toMatchObject({ status: 'running' });
    await expect(fixture.models.runs.get(PROJECT, `run_${bad}_2`)).rejects.toMatchObject({
      code: 'not_found',
    });
    const parked = fixture.models.parkedStreams();
    const models = await fixture.reopen();
    await append(fixture.log, good, [{ type: 'messages_cleared', data: {} }]);
    await models.follower.reached(await fixture.log.head());
    expect(models.parkedStreams()).toBe(parked);
  });
});
