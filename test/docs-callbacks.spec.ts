import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { webhookSignature } from '#delivery';
import { MAX_ATTEMPTS, waitAfterAttempt } from '#domain';

const page = readFileSync('docs/callbacks.md', 'utf8');

describe('docs/callbacks.md', () => {
  const folder = mkdtempSync(join('node_modules', '.docs-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('verifies a signature with its snippet, and refuses a changed body', async () => {
    const snippet = /```js verify\n(.*?)```/s.exec(page)?.[1] ?? '';
    const file = join(folder, 'verify.mjs');
    writeFileSync(file, snippet);
    type Verify = (secret: string, headers: Record<string, string>, body: string) => unknown;
    const { verify } = (await import(join(process.cwd(), file))) as { verify: Verify };
    const secret = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
    const [id, now, body] = ['dlv_1', Math.floor(Date.now() / 1000), '{"type":"agent_started"}'];
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': webhookSignature(secret, id, now, body),
    };
    expect(verify(secret, headers, body)).toEqual({ type: 'agent_started' });
    expect(() => verify(secret, headers, `${body} `)).toThrow();
  });

  it('has the timetable', () => {
    const units = { s: 1, min: 60, h: 3600 };
    const rows = [...page.matchAll(/^\| (\d+) +\| (\d+) (s|min|h) +\|$/gm)].map(([, attempt, wait, unit]) => [
      Number(attempt),
      Number(wait) * units[unit as 's'] * 1000,
    ]);
    const expected = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, i) => [
      i + 2,
      waitAfterAttempt(i + 1, 0.5, null),
    ]);
    expect(rows).toEqual(expected);
  });
});
