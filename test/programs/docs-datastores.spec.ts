import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { SilentLogger, SystemClock, SystemRandom } from '#platform';
import { EmbeddedPostgres } from '#postgres';
import { withPorts } from '../support/docs-shell.js';
import { call, say } from '../support/scripted-model.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const NAMED = 'postgres://reader:secret@db.example.com:5432/shop';

/** The commands of docs/datastores.md, as a shell runs them. */
describe('the commands of docs/datastores.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'annals-docs-'));
  const ports = { clock: new SystemClock(), random: new SystemRandom(), logger: new SilentLogger() };
  const postgres = new EmbeddedPostgres(join(folder, 'postgres'), ports);
  const [documents = '', database = ''] = Array.from(
    readFileSync('docs/datastores.md', 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm),
    ([, commands]) => commands,
  );
  let connectionString = '';
  let stage: Stage;
  beforeAll(async () => {
    const { user, password, host, port, database } = await postgres.start();
    connectionString = `postgres://${user}:${password}@${host}:${port}/${database}`;
    const client = new Client({ connectionString });
    await client.connect();
    connectionString = connectionString.replace(`//${user}:`, '//reader:');
    await client.query(
      `CREATE TABLE parts (id int PRIMARY KEY, name text, price numeric); INSERT INTO parts VALUES (7, 'valve', 12.50);
        CREATE ROLE reader LOGIN PASSWORD '${password}'; GRANT SELECT ON parts TO reader`,
    );
    await client.end();
    stage = await Stage.open({ env: { EGRESS_ALLOW: '127.0.0.1' } });
    copyFileSync('test/fixtures/documents/letter.pdf', join(folder, 'manual.pdf'));
  });
  afterAll(async () => {
    await stage.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  /** What the commands print. */
  async function shell(commands: string): Promise<string> {
    const child = spawn(
      'bash',
      ['-eu', '-o', 'pipefail', '-c', withPorts(commands, { 3000: stage.service.port })],
      {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', ANNALS_KEY: ADMIN_KEY },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([await ended, errors]).toEqual([0, '']);
    return out;
  }

  it('take in a file, find it, ask about it and delete it', async () => {
    const query = { query: 'quarterly report' };
    stage.book.on(
      'How fast does the impeller turn?',
      say(...call(0, 'c1', 'search_manuals', query)),
      say('Fast.'),
    );
    const out = await shell(documents);
    const lines = out.split('\n').filter((line) => line.startsWith('{'));
    const [uploaded, found, listed] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(uploaded).toMatchObject({
      filename: 'manual.pdf',
      status: expect.stringMatching(/^(?:indexed|processing)$/),
    });
    expect(found).toEqual({ items: expect.any(Array), next_cursor: null });
    expect(/"type":"agent_tool_response".*/.exec(out)?.[0]).toContain('Quarterly report');
    expect(out).toContain('"type":"agent_completed"');
    expect(listed).toMatchObject({ items: [{ document_id: uploaded?.['document_id'], pages: 1 }] });
    expect((await stage.client.get('/datastores')).json()).toMatchObject({ items: [] });
  });

  it('ask a database', async () => {
    const [setup = ''] = documents.split('made=');
    stage.book.on(
      'What is the price of part 7?',
      say(...call(0, 'c1', 'price_of', { value_1: 7 })),
      say('12.50'),
    );
    expect(database).toContain(NAMED);
    const out = await shell(setup + database.replace(NAMED, connectionString));
    const response = /"type":"agent_tool_response".*/.exec(out)?.[0] ?? '';
    expect(response).toContain('12.50');
    expect(out).toContain('"type":"agent_completed"');
  });
});
