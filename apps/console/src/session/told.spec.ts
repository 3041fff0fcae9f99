import { expect, test } from '@jest/globals';
import type { Page } from '../api/types.js';
import { type DeliveryView, MOST_TOLD, ToldReader } from './told.js';

const PAGE = 200;

const delivery = (n: number, status = 'delivered'): DeliveryView => ({
  delivery_id: `d${n}`,
  run_id: 'r',
  event_id: String(n),
  target: 'https://a.example',
  status,
  attempts: 1,
  last_status: 200,
  last_error: null,
  last_attempt_at: new Date(1_000_000 + n).toISOString(),
});

/** A list of deliveries, newest first, which counts what is asked of it. */
class Listed {
  readonly asked: (string | null)[] = [];
  constructor(readonly items: DeliveryView[]) {}
  readonly read = (cursor: string | null): Promise<Page<DeliveryView>> => {
    this.asked.push(cursor);
    const from = Number(cursor ?? 0);
    const end = from + PAGE;
    return Promise.resolve({
      items: this.items.slice(from, end),
      next_cursor: end < this.items.length ? String(end) : null,
    });
  };
}

const listOf = (count: number): Listed =>
  new Listed(Array.from({ length: count }, (_, n) => delivery(count - n)));

test('reads all pages, and has them in the order of their times', async () => {
  const { told, isCut } = await new ToldReader().read(listOf(450).read);
  expect(told.map(({ event }) => event)).toEqual(Array.from({ length: 450 }, (_, n) => n + 1));
  expect(isCut).toBe(false);
});

test('says so where there are more than it reads', async () => {
  const { told, isCut } = await new ToldReader().read(listOf(MOST_TOLD + 1).read);
  expect([told.length, told[0]?.event, isCut]).toEqual([MOST_TOLD, 2, true]);
});

test('asks again for no more than can have changed, and answers the same while nothing has', async () => {
  const list = listOf(450);
  const reader = new ToldReader();
  const first = await reader.read(list.read);
  expect(await reader.read(list.read)).toBe(first);
  expect(list.asked).toEqual([null, '200', '400', null]);
  list.items.unshift(delivery(451, 'retrying'));
  expect((await reader.read(list.read)).told).toHaveLength(451);
});

test('asks for what is still tried wherever it stands, and now and then for what was settled', async () => {
  const list = listOf(450);
  list.items[420] = delivery(30, 'retrying');
  const reader = new ToldReader();
  await reader.read(list.read);
  list.items[420] = delivery(30);
  const statusOf = async (): Promise<string | undefined> =>
    (await reader.read(list.read)).told.find(({ event }) => event === 30)?.status;
  expect(await statusOf()).toBe('delivered');
  list.items[420] = delivery(30, 'failed');
  expect(await statusOf()).toBe('delivered');
  const seen = new Set<string | undefined>();
  for (let n = 0; n < 12; n++) seen.add(await statusOf());
  expect([...seen]).toEqual(['delivered', 'failed']);
});

test('makes up for a read that broke off', async () => {
  const list = listOf(450);
  const reader = new ToldReader();
  const breaks = (cursor: string | null) =>
    cursor === null ? list.read(cursor) : Promise.reject(new Error('gone'));
  await expect(reader.read(breaks)).rejects.toThrow('gone');
  expect((await reader.read(list.read)).told).toHaveLength(450);
});
