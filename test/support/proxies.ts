import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { until } from './until.js';

export interface ProxyKind {
  /** The language of its lines in docs/operations.md. */
  readonly language: string;
  readonly command: string;
  readonly words: (file: string, folder: string) => readonly string[];
  /** The whole configuration around those lines. */
  readonly around: (lines: string, port: number, folder: string) => string;
}

const APACHE_MODULES = ['mpm_event', 'authz_core', 'reqtimeout', 'proxy', 'proxy_http'];

export const PROXIES: readonly ProxyKind[] = [
  {
    language: 'nginx',
    command: 'nginx',
    words: (file, folder) => ['-p', folder, '-c', file, '-g', 'daemon off;'],
    around: (lines, port, folder) =>
      `pid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${[
        'client_body',
        'proxy',
        'fastcgi',
        'uwsgi',
        'scgi',
      ]
        .map((name) => `${name}_temp_path ${folder}/${name};\n`)
        .join('')}server {\nlisten 127.0.0.1:${port};\n${lines}\n}\n}\n`,
  },
  {
    language: 'haproxy',
    command: 'haproxy',
    words: (file) => ['-db', '-f', file],
    around: (lines, port) =>
      `defaults\n  mode http\n\nfrontend all\n  bind 127.0.0.1:${port}\n  timeout client 60s\n  default_backend annals\n\n${lines}\n`,
  },
  {
    language: 'caddyfile',
    command: 'caddy',
    words: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    around: (lines, port) =>
      `{\n  admin off\n  auto_https off\n  grace_period 1s\n}\nhttp://127.0.0.1:${port} {\n${lines}\n}\n`,
  },
  {
    language: 'apache',
    command: 'apache2',
    words: (file) => ['-f', file, '-D', 'FOREGROUND'],
    around: (lines, port, folder) =>
      `${APACHE_MODULES.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so\n`).join('')}ServerName localhost\nServerRoot ${folder}\nPidFile ${folder}/pid\nErrorLog ${folder}/errors\nListen 127.0.0.1:${port}\n<VirtualHost *:${port}>\n${lines}\n</VirtualHost>\n`,
  },
];

/** `nginx` and `apache2` have no word for help that ends well: it is enough that they can be started. */
export const isInstalled = ({ command }: ProxyKind): boolean =>
  spawnSync(command, ['-v']).error === undefined;

/** A real proxy with the lines that docs/operations.md gives for it, before a service of the test. */
export class Proxy {
  private constructor(
    readonly origin: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param service a port on 127.0.0.1 */
  static async start(kind: ProxyKind, service: number): Promise<Proxy> {
    const folder = await mkdtemp(join(tmpdir(), 'annals-proxy-'));
    const port = await freePort();
    const page = await readFile('docs/operations.md', 'utf8');
    const lines = new RegExp(`\`\`\`${kind.language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
    const file = join(folder, 'proxy.conf');
    await writeFile(
      file,
      kind.around(lines.replaceAll('127.0.0.1:3000', `127.0.0.1:${service}`), port, folder),
    );
    const child = spawn(kind.command, kind.words(file, folder), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: folder },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (said += text));
    const proxy = new Proxy(`http://127.0.0.1:${port}`, child, folder);
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`${kind.command} has ended: ${said}`);
        return proxy.answers();
      },
      () => said,
    );
    return proxy;
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
    return answer?.status === 200;
  }
}
