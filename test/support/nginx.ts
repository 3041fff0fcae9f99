import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';

/** null: there is no nginx on this machine. */
export function nginxVersion(): string | null {
  const { status, stderr } = spawnSync('nginx', ['-v'], { encoding: 'utf8' });
  return status === 0 ? (/nginx\/(\S+)/.exec(stderr)?.[1] ?? null) : null;
}

/** A real nginx with the configuration that `deploy/` gives operators, before replicas of the test. */
export class Nginx {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param replicas ports on 127.0.0.1, in the places of annals-1 and annals-2 */
  static async start(replicas: readonly [number, number]): Promise<Nginx> {
    const folder = await mkdtemp(join(tmpdir(), 'annals-nginx-'));
    const port = await freePort();
    const given = await readFile('deploy/nginx.conf', 'utf8');
    const conf = given
      .replaceAll('/tmp/nginx', join(folder, 'nginx'))
      .replace('annals-1:3000', `127.0.0.1:${replicas[0]}`)
      .replace('annals-2:3000', `127.0.0.1:${replicas[1]}`)
      .replace('listen 8080', `listen 127.0.0.1:${port}`);
    const file = join(folder, 'nginx.conf');
    await writeFile(file, conf);
    const child = spawn('nginx', ['-p', folder, '-c', file, '-g', 'daemon off;'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    const nginx = new Nginx(port, child, folder);
    while (!(await nginx.answers())) {
      if (child.exitCode !== null) throw new Error(`nginx has ended: ${said}`);
      await sleep(20);
    }
    return nginx;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    const gone = once(this.child, 'close');
    this.child.kill('SIGTERM');
    await gone;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  private async answers(): Promise<boolean> {
    const answer = await fetch(`${this.origin}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    return answer !== null;
  }
}
