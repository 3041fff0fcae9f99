import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commandsOf, likeCheckout, shell } from '../support/docs-shell.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);

describe('the commands of the documents', () => {
  let service: ServiceProcess;
  let folder: string;
  beforeAll(async () => {
    service = await ServiceProcess.start({ env: { RATE_LIMIT_RPM: '100000' } });
    folder = await mkdtemp(join(tmpdir(), 'annals-docs-'));
    likeCheckout(folder);
  });
  afterAll(async () => {
    await service.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  });

  const said = (page: string, env: Readonly<Record<string, string>>): Promise<string> =>
    shell(folder, commandsOf(page), env);

  it('docs/integrators.md: streams, resuming, repeating', async () => {
    expect(commandsOf('docs/integrators.md')).toHaveLength(4);
    await said('docs/integrators.md', { ANNALS_URL: service.origin, ANNALS_KEY: ADMIN_KEY });
  });

  it('docs/operations.md: a restored back-up has everything, and no key lies in it', async () => {
    const before = await service.client().runToEnd('What is 6 x 7?');
    await service.kill('SIGTERM');
    expect(commandsOf('docs/operations.md')).toHaveLength(4);
    const out = await said('docs/operations.md', { DATA_DIR: service.dataDir });
    expect(out).toMatch(/^usage: annals <command>/);
    expect(out).toMatch(/ 0 faults\n$/);
    const inside = await run('tar', ['--list', '--file', join(folder, 'log.tar')]);
    expect(inside.stdout).not.toContain('master.key');
    expect(inside.stdout).not.toContain('keys.db');
    expect(inside.stdout).toContain('./log/');
    const restored = await ServiceProcess.start({ dataDir: join(folder, 'restored') });
    try {
      expect(await restored.client().history(before.session)).toEqual(before.messages);
      const { items } = (await restored.client().get('/sessions')).json<{ items: object[] }>();
      expect(items.length).toBeGreaterThan(2);
    } finally {
      await restored.dispose();
    }
  });
});
