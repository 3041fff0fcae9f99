import { describe, expect, it } from '@jest/globals';
import { closeInOrder, closeTogether } from './close-in-order.js';

describe.each([
  ['one after the other', closeInOrder],
  ['at the same time', closeTogether],
])('what is closed %s', (_how, close) => {
  it('is closed wholly although steps throw or reject, and all that went wrong is told', async () => {
    const closed: string[] = [];
    const steps = [
      () => closed.push('first'),
      () => {
        throw new Error('a file');
      },
      () => Promise.reject(new Error('a socket')),
      async () => {
        await Promise.resolve();
        closed.push('last');
      },
    ];
    const error = await close(...steps).then(
      () => null,
      (thrown: unknown) => thrown as AggregateError,
    );
    expect(closed).toEqual(['first', 'last']);
    expect(error?.message).toBe('2 things could not be closed: a file; a socket');
    expect(error?.errors).toHaveLength(2);
  });

  it('throws the very error of the one step that failed, and nothing where none did', async () => {
    const only = new Error('only this');
    await expect(close(() => Promise.reject(only))).rejects.toBe(only);
    await expect(close(() => undefined)).resolves.toBeUndefined();
  });
});

it('waits for each step before the next', async () => {
  const order: string[] = [];
  const slow = async () => {
    await new Promise(setImmediate);
    order.push('slow');
  };
  await closeInOrder(slow, () => order.push('next'));
  expect(order).toEqual(['slow', 'next']);
});
