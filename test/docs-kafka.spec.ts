import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseRunRequest } from '../apps/server/src/features/runs/dto/run-body.js';

const page = readFileSync('docs/kafka.md', 'utf8');
const snippet = (name: string): string => new RegExp(`\`\`\`${name}\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? '';

describe('docs/kafka.md', () => {
  const folder = mkdtempSync(join('node_modules', '.docs-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));

  it('reads a record with its snippet', async () => {
    const file = join(folder, 'read.mjs');
    writeFileSync(file, snippet('js read'));
    type Read = (record: { key: Buffer; value: Buffer; headers: Record<string, Buffer> }) => unknown;
    const { read } = (await import(join(process.cwd(), file))) as { read: Read };
    const value = '{"type":"agent_response","session":"s1","content":"Six"}';
    const headers = {
      ce_specversion: '1.0',
      ce_id: 'e-1',
      ce_source: 'https://annals.example.org/sessions/s1',
      ce_type: 'org.example.annals.agent_response',
      ce_subject: 'run_s1_1',
      ce_time: '2026-01-15T00:00:00.000Z',
      'content-type': 'application/json',
    };
    const bytes = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, Buffer.from(text)]),
    );
    expect(read({ key: Buffer.from('s1'), value: Buffer.from(value), headers: bytes })).toEqual({
      session: 's1',
      type: 'agent_response',
      run: 'run_s1_1',
      id: 'e-1',
      data: JSON.parse(value),
    });
  });

  it('has a command that is one', () => {
    expect(parseRunRequest(JSON.parse(snippet('json command')))).toMatchObject({ mode: 'flash' });
  });

  it('has a problem with every field', () => {
    expect(Object.keys(JSON.parse(snippet('json problem')) as object)).toEqual([
      'type',
      'title',
      'status',
      'detail',
      'code',
      'request_id',
      'errors',
    ]);
  });
});
