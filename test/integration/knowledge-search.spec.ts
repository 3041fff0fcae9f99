import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { KnowledgeClient } from '../support/knowledge-client.js';
import { KnowledgeHouse } from '../support/knowledge-house.js';
import { KnowledgeRun } from '../support/knowledge-run.js';
import { until } from '../support/until.js';

const TEXTS: Readonly<Record<string, string>> = {
  'engine.md': '# Engine\n\nThe engine is started with the red lever. Never start engines in a closed hall.',
  'boiler.md':
    '# Boiler\n\nThe boiler is installed behind the wall. Installation takes two days and the valve stays shut.',
  'galley.md':
    '# Galley\n\nThe cook keeps flour and salt in the galley; the red lever belongs to the engine room.',
  'schiff.md':
    '# Das Schiff\n\nDie Häuser am Hafen und die Schiffe sind im Winter nicht beheizt. Der Kapitän ist mit den Matrosen an Land.',
  'werft.txt': 'Ärger über die Größe der Werft: Müller ist naïve, sein résumé ist kurz.'.normalize('NFD'),
  'harbour.txt': 'The harbour o\ufb03ce sells tickets for ＦＥＲＲＩＥＳ.',
  'tuikuan.txt': '我们公司的退款政策是三十天内无条件退款，请联系客服。',
  'eki.txt': '東京駅までの行き方を案内します。データは水曜日に更新されます。',
  'hwanbul.txt': '구매 후 30일 이내에 환불정책에 따라 환불이 가능합니다.',
  'thai.txt': 'ลูกค้าสามารถขอคืนเงินได้ภายในสามสิบวัน',
  'navire.md':
    '# Le navire\n\nLes navires sont dans le port et les marins chantent. Le capitaine est à terre pour la nuit, et il dort.',
};

let house: KnowledgeHouse;
const client = new KnowledgeClient(() => house.origin);

/** On a busy machine it may take longer than the answer waits. */
async function indexed(datastore: string, name: string, text: string): Promise<void> {
  const { body } = await client.upload(datastore, name, text);
  const shown = async () => (await client.ask('GET', `/documents/${String(body['document_id'])}`)).body;
  await until(async () => (await shown())['status'] === 'indexed', shown);
}

describe('search', () => {
  let datastore: string;
  beforeAll(async () => {
    house = await KnowledgeHouse.open();
    datastore = await client.documents();
    for (const [name, text] of Object.entries(TEXTS)) await indexed(datastore, name, text);
  });
  afterAll(() => house.close());

  const found = async (query: string): Promise<unknown[]> =>
    (await client.search(datastore, query)).map(({ filename }) => filename);

  test.each([
    ['a word in another form', 'installing', ['boiler.md']],
    ['German words in another form', 'Haus Schiff', ['schiff.md']],
    ['French words in another form', 'chanter', ['navire.md']],
    ['a question', 'where is the boiler installed?', ['boiler.md']],
    ['a typing error', 'boyler', ['boiler.md']],
    ['letters that changed places', 'flour and slat in the gallye', ['galley.md']],
    ['the beginning of a word', 'gall*', ['galley.md']],
    ['the beginning of a word, without a star', 'kapit', ['schiff.md']],
    ['a phrase', '"two days"', ['boiler.md']],
    ['a phrase in another order', '"days two"', []],
    ['letters in one sign where the document has two', 'Größe', ['werft.txt']],
    ['the same in two signs', 'résumé'.normalize('NFD'), ['werft.txt']],
    ['the same, the beginning alone', 'Müll*', ['werft.txt']],
    ['the same, as a phrase', '"Ärger über"', ['werft.txt']],
    ['what is a ligature in the document', 'office', ['harbour.txt']],
    ['what is wide in the document', 'ferry', ['harbour.txt']],
    ['what is wide in the query', 'ＢＯＩＬＥＲ', ['boiler.md']],
    ['a word of a script without spaces', '退款', ['tuikuan.txt']],
    ['the same, from within a longer one', '条件', ['tuikuan.txt']],
    ['the same, as a phrase', '"无条件退款"', ['tuikuan.txt']],
    ['the same, as a phrase in another order', '"退款无条件"', []],
    ['one sign of it', '策', ['tuikuan.txt']],
    ['the same with a star', '客服*', ['tuikuan.txt']],
    ['nothing that is there in it', '火车', []],
    ['Japanese', '東京駅', ['eki.txt']],
    ['Japanese, in half width', 'ﾃﾞｰﾀ', ['eki.txt']],
    ['Korean', '환불', ['hwanbul.txt']],
    ['Thai', 'คืนเงิน', ['thai.txt']],
    ['Thai that is not there', 'โรงแรม', []],
    ['nothing that is there', 'xylophone', []],
    ['signs alone', '?! "" * -- \' \\ & | ! ( ) :*', []],
    ['words without a meaning of their own', 'the of and', []],
  ])('%s', async (_, query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  test('what has both words comes before what has one', async () => {
    const items = await client.search(datastore, 'start engine');
    expect(items[0]).toMatchObject({ filename: 'engine.md', page: null });
    const scores = items.map(({ score }) => Number(score));
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  });

  test('the limit holds, and a bad one is refused', async () => {
    expect(await client.search(datastore, 'engine lever boiler', 1)).toHaveLength(1);
    for (const body of [
      { query: '' },
      { query: ' ' },
      {},
      { query: 'a', limit: 0 },
      { query: 'a', limit: 201 },
      { query: 'a', top: 1 },
    ])
      expect((await client.ask('POST', `/datastores/${datastore}/search`, body)).status).toBe(400);
    expect((await client.ask('POST', '/datastores/ds_none/search', { query: 'a' })).status).toBe(404);
  });

  test('the agent searches the same way', async () => {
    const run = await KnowledgeRun.open(house, { datastores: [{ id: datastore, name: 'Ship’s papers' }] });
    expect(run.names).toEqual(['search_Ship_s_papers']);
    expect(run.tools[0]?.isRepeatable).toBe(true);
    const { content } = await run.call('search_Ship_s_papers', { query: 'boiler' });
    expect(JSON.parse(content)).toEqual({
      passages: [{ filename: 'boiler.md', page: null, text: expect.stringContaining('behind the wall') }],
    });
    expect(await run.call('search_Ship_s_papers', {})).toMatchObject({ isError: true });
  });

  test('a long passage of a script without spaces is shown where the words stand, as they stand there', async () => {
    const id = await client.documents();
    const filler = '这里没有什么可看的。'.repeat(60);
    await indexed(id, 'long.txt', `${filler}飞艇在中午降落，ﾃﾞｰﾀ是旧的。${filler}`);
    const [item] = await client.search(id, '飞艇');
    expect(String(item?.['text'])).toContain('飞艇在中午降落，ﾃﾞｰﾀ是旧的。');
    expect(String(item?.['text']).length).toBeLessThan(650);
  });

  test('a long passage is shown where the words stand', async () => {
    const id = await client.documents();
    const filler = 'Nothing to see in this sentence at all. '.repeat(15);
    await indexed(id, 'long.txt', `${filler}The zeppelin lands at noon. ${filler}`);
    const [item] = await client.search(id, 'zeppelin');
    expect(String(item?.['text'])).toContain('The zeppelin lands at noon.');
    expect(String(item?.['text']).length).toBeLessThan(650);
  });
});
