import { describe, expect, it } from '@jest/globals';
import {
  type Opener,
  type Sealer,
  changing,
  decimal,
  integer,
  json,
  jsonb,
  mapped,
  nullable,
  parted,
  sealed,
  text,
  truth,
  whole,
} from './fields.js';
import { raw, sql, statement } from './sql.js';
import { type RowOf, readRow, table } from './table.js';
import { assignments, createTable, writeRows } from './table-statements.js';

interface Point {
  readonly x: number;
  readonly label: string | null;
}

const POINT = parted<Point | null, { x: number | null; label: string | null }>(
  { x: nullable(integer('x')), label: nullable(text('label')) },
  (point) => point ?? { x: null, label: null },
  ({ x, label }) => (x === null ? null : { x, label }),
);

const THINGS = table(
  'things',
  { key: ['id'], scope: 'owner' },
  {
    id: text('id'),
    owner: text('owner'),
    at: changing(nullable(whole('at'))),
    isOpen: truth('is_open'),
    point: changing(POINT),
    secret: sealed('secret'),
    list: json<readonly number[]>(text('list')),
    price: mapped(decimal('price'), String, BigInt),
    notes: jsonb<readonly string[]>('notes'),
  },
);
type Thing = RowOf<typeof THINGS>;

const codec: Sealer & Opener = {
  seal: (scope, plain) => Buffer.from(`${scope}:${plain}`),
  open: (scope, bytes) => bytes.toString().slice(scope.length + 1),
};

const THING: Thing = {
  id: 'a',
  owner: 'o',
  at: null,
  isOpen: true,
  point: { x: 1, label: 'one' },
  secret: 'hush',
  list: [1, 2],
  price: 12n,
  notes: ['n'],
};

describe('a statement', () => {
  const id = (input: { id: string }): string => input.id;

  it('numbers its parameters as they come, each once', () => {
    const both = sql<{ id: string }>`b = ${id} OR c = ${() => 7}`;
    const found = statement(sql<{ id: string }>`SELECT 1 FROM ${raw('t')} WHERE a = ${id} AND (${both})`);
    expect(found({ id: "x'" })).toEqual({
      text: 'SELECT 1 FROM t WHERE a = $1 AND (b = $1 OR c = $2)',
      values: ["x'", 7],
    });
  });

  it('has a name where connections are to keep it', () =>
    expect(statement(sql<void>`SELECT 1`, 'one')()).toEqual({ name: 'one', text: 'SELECT 1', values: [] }));
});

describe('a table that is described once', () => {
  const columns = 'id, owner, at, is_open, x, label, secret, list, price, notes';

  it('is written from one array a column; only what changes is written anew', () => {
    const write = statement(
      writeRows(THINGS, {
        schema: raw('s'),
        rows: (things: readonly Thing[]) => things,
        sealer: () => codec,
        when: sql<readonly Thing[]>`${({ length }) => length} > 0`,
        replaceIf: raw('old.at < EXCLUDED.at'),
      }),
    );
    const { text, values } = write([THING, { ...THING, point: null }]);
    const types = ['text', 'text', 'bigint', 'boolean', 'integer', 'text', 'bytea', 'text', 'text', 'text'];
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
    expect(text.replaceAll(/\s+/g, ' ').trim()).toBe(
      `INSERT INTO s.things AS old (${columns})` +
        ` SELECT id, owner, at, is_open, x, label, secret, list, price::numeric, notes::jsonb` +
        ` FROM unnest(${arrays}) AS given (${columns}) WHERE $11 > 0` +
        ' ON CONFLICT (id) DO UPDATE SET at = EXCLUDED.at, x = EXCLUDED.x, label = EXCLUDED.label' +
        ' WHERE old.at < EXCLUDED.at',
    );
    expect(values).toHaveLength(11);
    expect(String(values?.[6])).toContain('o:hush');
  });

  it('keeps rows that are there where nothing of them changes', () => {
    const fixed = table('fixed', { key: ['id', 'n'] }, { id: text('id'), n: integer('n') });
    const { text: written } = statement(writeRows(fixed, { schema: raw('s'), rows: () => [] }))(undefined);
    expect(written).toContain('ON CONFLICT (id, n) DO NOTHING');
  });

  it('is read by the same description', () => {
    const stored = {
      id: 'a',
      owner: 'o',
      at: null,
      is_open: true,
      x: 1,
      label: 'one',
      secret: codec.seal('o', 'hush'),
      list: '[1,2]',
      price: '12',
      notes: ['n'],
    };
    expect(readRow(THINGS, stored, codec)).toEqual(THING);
    expect(readRow(THINGS, { ...stored, x: null, at: '5' }, codec)).toMatchObject({ point: null, at: 5 });
  });

  it('sets some of its properties', () => {
    const set = statement(
      sql<Thing>`UPDATE t SET ${assignments(THINGS, ['at', 'point'], (thing: Thing) => thing)}`,
    );
    expect(set(THING)).toEqual({
      text: 'UPDATE t SET at = $1, x = $2, label = $3',
      values: [null, 1, 'one'],
    });
  });

  it('is made as it is described', () =>
    expect(statement(createTable(THINGS, raw('s')))(undefined).text.replaceAll(/\s+/g, ' ')).toBe(
      'CREATE TABLE s.things ( id text NOT NULL, owner text NOT NULL, at bigint, is_open boolean NOT NULL,' +
        ' x integer, label text, secret bytea NOT NULL, list text NOT NULL, price numeric NOT NULL,' +
        ' notes jsonb NOT NULL, PRIMARY KEY (id) )',
    ));
});
