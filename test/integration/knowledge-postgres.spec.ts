import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CallersShop } from '../support/callers-shop.js';
import { KnowledgeRun } from '../support/knowledge-run.js';

describe('a PostgreSQL of the caller', () => {
  let place: CallersShop;
  beforeAll(async () => {
    place = await CallersShop.open();
  });
  afterAll(() => place.close());

  test('offers the schema and the agent’s own SQL', async () => {
    const run = await place.run();
    expect(run.names).toEqual(['shop_schema', 'shop_sql']);
    expect(run.tools.every(({ isRepeatable }) => isRepeatable)).toBe(true);
    const { content } = await run.call('shop_schema', {});
    expect(content).toContain(
      'public.ships (id integer not null, name text not null, built date, crew jsonb, weight numeric); PRIMARY KEY (id)',
    );
    expect(content).toContain('FOREIGN KEY (ship) REFERENCES ships(id)');
    expect(
      await run.result('shop_sql', { sql: 'SELECT * FROM ships WHERE id < 3 ORDER BY id DESC;' }),
    ).toEqual({
      columns: ['id', 'name', 'built', 'crew', 'weight'],
      rows: [
        [2, 'Ora\'s "?"', null, { mate: 'Ben' }, '7'],
        [1, 'Vega', '1998-03-01', { cook: 'Anna' }, '12.50'],
      ],
    });
  });

  test('binds values by position and never splices them', async () => {
    const run = await place.run([
      { name: 'by name', query: 'SELECT id FROM ships WHERE name = ? AND id > ? -- why?' },
      { name: 'cooks', query: `SELECT name, '?' AS "a?" FROM ships WHERE crew ? 'cook' /* ? */ AND id = ?` },
      { name: 'plain', query: 'SELECT count(*)::int FROM ships' },
      { name: 'page', query: 'SELECT id FROM ships WHERE ?::text IS NULL ORDER BY id LIMIT ? OFFSET ?' },
    ]);
    expect(run.names).toEqual(['by_name', 'cooks', 'plain', 'page', 'shop_schema', 'shop_sql']);
    const [byName] = run.tools;
    expect(byName?.definition.parameters).toMatchObject({
      required: ['value_1', 'value_2'],
      properties: { value_1: { type: ['string', 'number', 'boolean', 'null'] } },
    });
    expect((await run.result('by_name', { value_1: 'Ora\'s "?"', value_2: 0 })).rows).toEqual([[2]]);
    expect(
      (await run.result('by_name', { value_1: "' OR 1=1; DROP TABLE ships; --", value_2: 0 })).rows,
    ).toEqual([]);
    expect(await run.result('cooks', { value_1: 1 })).toEqual({
      columns: ['name', 'a?'],
      rows: [['Vega', '?']],
    });
    expect((await run.result('plain', {})).rows).toEqual([[3]]);
    expect((await run.result('page', { value_1: null, value_2: 1, value_3: 1 })).rows).toEqual([[2]]);
    expect(await run.call('by_name', { value_1: 'x' })).toEqual({
      content: expect.stringContaining('value_2'),
      isError: true,
    });
    expect(await run.call('by_name', { value_1: {}, value_2: 1 })).toMatchObject({ isError: true });
  });

  test('nothing of a call is left for the next', async () => {
    const writable = await place.create(place.rootUrl, { readOnly: false });
    const query = `SELECT set_config('search_path', 'pg_catalog', false), pg_advisory_lock(7)`;
    const run = await place.run([{ name: 'settle', query }], writable);
    expect((await run.result('settle', {})).rows).toEqual([['pg_catalog', '']]);
    const { rows } = await run.result('shop_sql', {
      sql: `SELECT current_setting('search_path'), current_setting('transaction_read_only')`,
    });
    expect(rows).toEqual([['"$user", public', 'on']]);
    const held = async (): Promise<number> =>
      (await place.owner.query(`SELECT FROM pg_locks WHERE locktype = 'advisory'`)).rows.length;
    while ((await held()) > 0) await new Promise((resolve) => setImmediate(resolve));
  });

  test('a long result is cut and says so', async () => {
    const run = await place.run();
    const rows = await run.result('shop_sql', { sql: 'SELECT n FROM generate_series(1, 100000) n' });
    expect(rows.rows).toHaveLength(1000);
    expect(rows.note).toMatch(/only the first 1000 rows/);
    const wide = await run.result('shop_sql', {
      sql: `SELECT repeat('x', 100000) FROM generate_series(1, 100)`,
    });
    expect(JSON.stringify(wide).length).toBeLessThan(100_000);
    const huge = await run.call('shop_sql', { sql: `SELECT repeat('x', 100000000)` });
    expect(huge).toEqual({ content: expect.stringContaining('too large'), isError: true });
  });

  test('errors help, and tell nothing of the connection', async () => {
    const run = await place.run();
    const wrong = await run.call('shop_sql', { sql: 'SELECT nam FROM ships' });
    expect(wrong).toEqual({
      content: expect.stringMatching(
        /column "nam" does not exist at character 8 hint: .*ships\.name.* \(42703\)/,
      ),
      isError: true,
    });
    const { hostname, username, password } = new URL(place.url);
    const lost = await place.create(`postgres://${username}:wrong-password@${hostname}:1/none`);
    const locked = await place.create(place.url.replace(password, 'wrong-password'));
    for (const [id, says] of [
      [lost, 'the database cannot be reached'],
      [locked, 'the database does not let the service in (28P01)'],
    ] as const) {
      const { content } = await (await place.run([], id)).call('shop_sql', { sql: 'SELECT 1' });
      expect(content).toBe(says);
    }
  });

  test('a query that takes too long is stopped', async () => {
    const { content } = await (await place.run()).call('shop_sql', { sql: 'SELECT pg_sleep(600)' });
    expect(content).toMatch(/took longer than 15 s/);
  });

  test('with readOnly false the queries of the request write, the agent’s own SQL does not', async () => {
    const writable = await place.create(place.rootUrl, { readOnly: false });
    const run = await place.run(
      [
        { name: 'add', query: 'INSERT INTO voyages VALUES (?, ?)' },
        { name: 'broken', query: 'INSERT INTO voyages SELECT 99, ?' },
      ],
      writable,
    );
    expect(run.tools.map(({ isRepeatable }) => isRepeatable)).toEqual([false, false, true, true]);
    expect(await run.call('add', { value_1: 1, value_2: 'Oslo' })).toEqual({ content: '{"rows_changed":1}' });
    expect(await run.call('broken', { value_1: 'Kiel' })).toMatchObject({ isError: true });
    expect(await run.call('shop_sql', { sql: 'DELETE FROM voyages' })).toMatchObject({ isError: true });
    expect((await place.owner.query('SELECT ship, port FROM voyages')).rows).toEqual([
      { ship: 1, port: 'Oslo' },
    ]);
  });

  test('with several databases a query says in which', async () => {
    const run = await KnowledgeRun.open(place.house, {
      datastores: [
        { id: place.shop, name: 'my shop' },
        { id: place.shop, name: 'my shop' },
      ],
      queries: [{ name: 'count', description: 'd', query: 'SELECT count(*)::int FROM ships' }],
    });
    expect(run.names).toEqual([
      'count',
      'my_shop_schema',
      'my_shop_sql',
      'my_shop_schema_2',
      'my_shop_sql_2',
    ]);
    expect((await run.result('count', { datastore: 'my shop (2)' })).rows).toEqual([[3]]);
    expect(await run.call('count', {})).toMatchObject({ isError: true });
  });

  test('unknown and foreign datastores are not found; queries need a database', async () => {
    const request = { project: 'one', queries: [], datastores: [{ id: 'ds_none', name: 'x' }] };
    await expect(place.house.knowledge.tools.check(request)).rejects.toMatchObject({ code: 'not_found' });
    const foreign = { project: 'two', queries: [], datastores: [{ id: place.shop, name: 'x' }] };
    await expect(place.house.knowledge.tools.check(foreign)).rejects.toMatchObject({ code: 'not_found' });
    const queries = [{ name: 'q', description: '', query: 'SELECT 1' }];
    const none = { project: 'one', queries, datastores: [{ id: await place.client.documents(), name: 'x' }] };
    await expect(place.house.knowledge.tools.check(none)).rejects.toMatchObject({ code: 'unprocessable' });
  });

  test('a query has a hundred placeholders at most, by what a placeholder is here', async () => {
    const marks = (count: number): string => Array(count).fill('?').join(', ');
    const check = (query: string) =>
      place.house.knowledge.tools.check({
        project: 'one',
        queries: [{ name: 'q', description: '', query }],
        datastores: [{ id: place.shop, name: 'x' }],
      });
    await check(`SELECT ${marks(100)}, '${marks(500)}'`);
    // To MySQL the rest of the line is a comment.
    await expect(check(`SELECT 1 # ${marks(101)}`)).rejects.toMatchObject({
      code: 'invalid_request',
      detail: expect.stringContaining('queries[0].query'),
    });
  });
});
