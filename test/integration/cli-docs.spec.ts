import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);

/** The commands of a page that are marked to be run, in its order. */
async function commandsOf(page: string): Promise<readonly string[]> {
  const text = await readFile(page, 'utf8');
  return [...text.matchAll(/```sh run\n([^]*?)```/g)].map(([, commands = '']) => commands);
}

describe('the commands of the documents', () => {
  let service: ServiceProcess;
  let folder: string;
  beforeAll(async () => {
    service = await ServiceProcess.start({ env: { RATE_LIMIT_RPM: '100000' } });
    folder = await mkdtemp(join(tmpdir(), 'annals-docs-'));
    // As in a checkout: npm finds the scripts, which find the program.
    for (const name of ['package.json', '.ci', 'dist', 'node_modules', 'apps', 'libs'])
      await symlink(resolve(name), join(folder, name));
  }, 60_000);
  afterAll(async () => {
    await service.dispose();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }, 60_000);

  const shell = async (
    commands: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const script = ['set -euo pipefail', ...commands].join('\n');
    const { stdout } = await run('bash', ['-c', script], {
      cwd: folder,
      env: { PATH: `${resolve('node_modules/.bin')}:${process.env['PATH']}`, HOME: folder, ...env },
    });
    return stdout;
  };

  it('docs/integrators.md: streams, resuming, repeating', async () => {
    const commands = await commandsOf('docs/integrators.md');
    expect(commands).toHaveLength(4);
    await shell(commands, { ANNALS_URL: service.origin, ANNALS_KEY: ADMIN_KEY });
  });

  it('docs/operations.md: a restored back-up has everything, and no key lies in it', async () => {
    const before = await service.client().runToEnd('What is 6 x 7?');
    await service.kill('SIGTERM');
    const commands = await commandsOf('docs/operations.md');
    expect(commands).toHaveLength(4);
    const said = await shell(commands, { DATA_DIR: service.dataDir });
    expect(said).toMatch(/^usage: annals <command>/);
    expect(said).toMatch(/ 0 faults\n$/);
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
