// Carries out deploy/Dockerfile without Docker: each stage in a folder of its own, then the program that comes of it, as an
// unprivileged user that can write nowhere but in its data folder. `node deploy/check-image.mjs` (as root, on Linux).
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NOBODY = 65534;
const root = mkdtempSync(join(tmpdir(), 'annals-image-'));
chmodSync(root, 0o755);

/** Lines of the Dockerfile, without comments. */
const steps = readFileSync('deploy/Dockerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);

const image = { folder: '', env: {}, entry: [], command: [], user: '' };
let workdir = '';
let count = 0;
const at = (path, base = workdir) => (path.startsWith('/') ? join(image.folder, path) : join(base, path));

function copy(text) {
  const words = text.split(' ');
  const from = words[0].startsWith('--from=') ? join(root, words.shift().slice('--from='.length)) : null;
  const target = words.pop();
  for (const source of words)
    cpSync(from ? join(from, source) : source, words.length > 1 ? join(at(target), source) : at(target), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith('.spec.ts'),
    });
}

const actions = {
  FROM: (text) => {
    const name = / AS (\w+)$/.exec(text)?.[1] ?? `stage-${++count}`;
    image.folder = workdir = join(root, name);
    mkdirSync(workdir);
  },
  WORKDIR: (text) => mkdirSync((workdir = at(text)), { recursive: true }),
  COPY: copy,
  // Users and folders of the system are the machine's, not the stage's.
  RUN: (text) =>
    text.startsWith('useradd') || execFileSync('sh', ['-c', text], { cwd: workdir, stdio: 'inherit' }),
  ENV: (text) => Object.assign(image.env, Object.fromEntries(text.split(' ').map((pair) => pair.split('=')))),
  USER: (text) => (image.user = text),
  ENTRYPOINT: (text) => (image.entry = JSON.parse(text)),
  CMD: (text) => (image.command = JSON.parse(text)),
  VOLUME: () => {},
  EXPOSE: () => {},
  STOPSIGNAL: () => {},
  HEALTHCHECK: () => {},
};

async function startIt() {
  const data = join(root, 'data');
  mkdirSync(data);
  chownSync(data, NOBODY, NOBODY);
  const flags = image.entry.slice(1, -1);
  const program = image.entry.at(-1);
  const env = {
    ...image.env,
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    DATA_DIR: data,
    PORT: '0',
    HOST: '127.0.0.1',
  };
  const child = spawn(process.execPath, [...flags, join(image.folder, program), ...image.command], {
    cwd: join(image.folder, 'app'),
    uid: NOBODY,
    gid: NOBODY,
    env,
  });
  let said = '';
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const address = await new Promise((resolve, reject) => {
    const hear = (text) => {
      said += text;
      const found = /"address":"([^"]+)"/.exec(said)?.[1];
      if (found) resolve(found);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    void exited.then((code) => reject(new Error(`it ended with ${code}: ${said}`)));
  });
  const key = /annals_[A-Za-z0-9_-]{16,}/.exec(said)?.[0];
  const answer = await fetch(address, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json',
    },
    body: JSON.stringify({ message: 'What is 6 x 7?' }),
  });
  const docs = await fetch(`${address}/docs/swagger-ui-bundle.js`);
  console.log('run:', answer.status, (await answer.json()).status, '· docs:', docs.status);
  child.kill('SIGTERM');
  const code = await exited;
  console.log('SIGTERM: exit code', code);
  if (answer.status !== 200 || docs.status !== 200 || code !== 0) process.exitCode = 1;
}

try {
  for (const [word, text] of steps) {
    console.log(word, text.slice(0, 100));
    actions[word](text);
  }
  if (!/^[1-9]\d*:[1-9]\d*$/.test(image.user)) throw new Error('the image must name an unprivileged user');
  console.log(execFileSync('du', ['-sh', join(image.folder, 'app')], { encoding: 'utf8' }).trim());
  await startIt();
} finally {
  rmSync(root, { recursive: true, force: true });
}
