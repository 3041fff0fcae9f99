import { describe, expect, it } from '@jest/globals';
import { type GivenItem, isFileRef } from '#domain';
import { ContentStore, MemoryFileStore } from '#vault';
import { loadItems, storeItems } from './store-items.js';

const contents = new ContentStore(new MemoryFileStore());
const said = (text: string): GivenItem => ({
  kind: 'message',
  role: 'user',
  parts: [{ kind: 'text', text }],
});

describe('given items', () => {
  it('stand in the event where there is room', async () => {
    const items = [said('a'), said('b')];
    expect(await storeItems(contents, 'ses_1', items)).toBe(items);
  });

  it('have their longest texts in files where there is none, and are read back whole', async () => {
    const image = `data:image/png;base64,${'A'.repeat(90_000)}`;
    const items: readonly GivenItem[] = [
      said('short'),
      { kind: 'message', role: 'user', parts: [{ kind: 'image', url: image }] },
      { kind: 'call', id: 'c', name: 'n', arguments: '{}' },
      { kind: 'result', id: 'c', output: 'r'.repeat(50_000) },
    ];
    const stored = await storeItems(contents, 'ses_1', items);
    expect(JSON.stringify(stored).length).toBeLessThan(96 * 1024);
    const [first, shown, , result] = stored;
    expect(first).toEqual(items[0]);
    expect(
      shown?.kind === 'message' && shown.parts[0]?.kind === 'image' && isFileRef(shown.parts[0].url),
    ).toBe(true);
    // One file was enough.
    expect(result).toEqual(items[3]);
    expect(await loadItems(contents, 'ses_1', stored)).toEqual(items);
  });

  it('have long arguments in files, of whatever calls, and are read back whole', async () => {
    const text = (n: number) => JSON.stringify({ n, page: 'p'.repeat(4_000) });
    const items = Array.from({ length: 40 }, (_, n): GivenItem[] => [
      { kind: 'call', id: `c${n}`, name: 'write', arguments: text(n) },
      { kind: 'result', id: `c${n}`, output: 'ok' },
      { kind: 'server_call', id: `m${n}`, server: 's', name: 'write', arguments: text(-n), output: '' },
      { kind: 'question', id: `q${n}`, server: 's', name: 'write', arguments: text(0.5) },
    ]).flat();
    const stored = await storeItems(contents, 'ses_1', items);
    expect(JSON.stringify(stored).length).toBeLessThan(96 * 1024);
    expect(await loadItems(contents, 'ses_1', stored)).toEqual(items);
  });

  it.each([
    ['as many as a request may have', Array.from({ length: 2_000 }, (_, n) => said(`m${n}`))],
    ['many of some length', Array.from({ length: 620 }, (_, n) => said(`${n} `.padEnd(190, 'x')))],
  ])('may be %s', async (_, items) => {
    expect(await loadItems(contents, 'ses_1', await storeItems(contents, 'ses_1', items))).toEqual(items);
  });

  it('are refused where what cannot lie in files is too long', async () => {
    const call: GivenItem = { kind: 'call', id: 'c', name: 'n', arguments: 'x'.repeat(200_000) };
    await expect(storeItems(contents, 'ses_1', [call])).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
