import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type OpenDatabase, openDatabase } from '../../libs/event-log/src/sqlite/database.js';
import { SAVE_EVERY, StreamIndex } from '../../libs/event-log/src/sqlite/stream-index.js';
import { seeded } from './event-log/harness.js';

/** The index beside a plain list of each stream's positions, over transactions that are lost and files that are opened again. */

const STREAMS = ['a', 'b', 'c', 'd', 'quiet'];
const numberOf = (stream: string): number => STREAMS.indexOf(stream) + 1;

let folder: string;
let opened: OpenDatabase;
let index: StreamIndex;

function open(): void {
  opened = openDatabase({ folder, walBytes: 4 * 1024 * 1024, faults: {} });
  index = new StreamIndex(opened.db);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'annals-stream-index-'));
  open();
});

afterEach(() => {
  opened.db.close();
  rmSync(folder, { recursive: true });
});

/** What is stored of an event as far as the index goes, and the index told of it. */
function store(stream: string, revision: number, position: number): void {
  const { db } = opened;
  const id = numberOf(stream);
  db.prepare('INSERT OR IGNORE INTO streams (id, name) VALUES (?, ?)').run(id, stream);
  db.prepare(`INSERT INTO events VALUES (?, ?, ?, 'id', 't', 0, '{}', '{}', x'', x'')`).run(
    position,
    id,
    revision,
  );
  index.add(id, revision, position);
}

const placedTo = (): number => Number(opened.db.prepare('SELECT placed_to FROM log').get()?.['placed_to']);

/** As a version that wrote places late left the file when it was killed: some of the newest are not there. */
function losePlaces(random: () => number): void {
  const { db } = opened;
  const places = db.prepare('SELECT position FROM places ORDER BY position').all();
  const from = Number(places[Math.floor(random() * places.length)]?.['position'] ?? 0);
  db.exec('BEGIN');
  const lose = db.prepare('DELETE FROM places WHERE position = ?');
  for (const { position } of places) if (Number(position) > from && random() < 0.7) lose.run(position!);
  db.prepare('UPDATE log SET placed_to = min(placed_to, ?)').run(from);
  db.exec('COMMIT');
}

/** As text: Jest's own comparison of so many objects takes ten times as long as everything else here. */
const expectPlaces = (found: Iterable<object>, wanted: readonly object[]): void =>
  expect(JSON.stringify([...found])).toBe(JSON.stringify(wanted));

function expectIndex(model: ReadonlyMap<string, readonly number[]>): void {
  for (const stream of STREAMS) {
    const positions = model.get(stream) ?? [];
    const all = positions.map((position, revision) => ({
      stream: numberOf(stream),
      revision,
      position,
    }));
    expect(index.find(stream)).toEqual(
      positions.length === 0 ? undefined : { id: numberOf(stream), revision: positions.length - 1 },
    );
    for (const from of [
      -1,
      0,
      1,
      positions.length >> 1,
      positions.length - 2,
      positions.length - 1,
      positions.length,
    ]) {
      expectPlaces(index.after(stream, from), all.slice(from + 1));
      expectPlaces(index.before(stream, from), all.slice(0, Math.max(0, from)).reverse());
    }
    expectPlaces(index.before(stream, Number.MAX_SAFE_INTEGER), all.toReversed());
  }
}

describe('whatever is written, lost and opened again', () => {
  test.each(Array.from({ length: 8 }, (_, n) => n))('each stream has its events in order, %i', () => {
    const random = seeded('stream index');
    const below = (n: number): number => Math.floor(random() * n);
    let model = new Map<string, readonly number[]>();
    let head = 0;
    for (let step = 0; step < 60; step++) {
      const before = { model: new Map(model), head };
      opened.db.exec('BEGIN');
      for (let n = below(40); n > 0; n--) {
        const stream = STREAMS[Math.min(below(STREAMS.length), below(STREAMS.length))]!;
        const positions = model.get(stream) ?? [];
        // As if events of other streams came between: progress is saved now and then only.
        head += 1 + below(200);
        store(stream, positions.length, head);
        model.set(stream, [...positions, head]);
      }
      const isLost = below(5) === 0;
      opened.db.exec(isLost ? 'ROLLBACK' : 'COMMIT');
      if (isLost) ({ model, head } = before);
      if (isLost || below(5) === 0) {
        if (below(2) === 0) losePlaces(random);
        opened.db.close();
        open();
      }
      expectIndex(model);
    }
  });
});

test('the position up to which none is missing follows the head, and is at it when the log ends', () => {
  opened.db.exec('BEGIN');
  const count = 2 * SAVE_EVERY + 100;
  for (let n = 0; n < count; n++) store('a', n, n + 1);
  expect(placedTo()).toBe(2 * SAVE_EVERY);
  index.save(count);
  expect(placedTo()).toBe(count);
  opened.db.exec('COMMIT');
});
