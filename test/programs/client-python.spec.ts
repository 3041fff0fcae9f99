import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PythonProgram, pythonForClients } from '../support/python.js';
import { WEBHOOK_SECRET, sampleCallback } from '../support/sample-callback.js';
import { Gate, before, call, say } from '../support/scripted-model.js';
import { ADMIN_KEY } from '../support/service-process.js';
import { Stage } from '../support/stage.js';

const python = pythonForClients();
if (python === null)
  process.stdout.write(
    'there is no python3 with venv, or no httpx for it: tests of clients/python are skipped\n',
  );

const snippet = (name: string): string => {
  const page = readFileSync('clients/python/README.md', 'utf8');
  return page.split(`\`\`\`python ${name}\n`)[1]?.split('```')[0] ?? '';
};

(python === null ? describe.skip : describe)('clients/python', () => {
  let stage: Stage;
  let program: PythonProgram;
  beforeAll(async () => {
    stage = await Stage.open();
    const env = {
      ANNALS_URL: stage.service.origin,
      ANNALS_KEY: ADMIN_KEY,
      ANNALS_WEBHOOK_SECRET: WEBHOOK_SECRET,
    };
    program = new PythonProgram(python ?? '', env);
  });
  afterAll(() => stage.close());

  it('has types that hold, for itself and for whoever uses it', async () => {
    const words = ['--config-file', 'clients/python/pyproject.toml', '--strict', '--cache-dir=/dev/null'];
    await program.output('-m', 'mypy', ...words, 'clients/python/src', 'clients/python/tests');
  });

  it('passes its own tests', async () => {
    expect(await program.output('-m', 'unittest', 'discover', 'clients/python/tests')).toMatch(/^OK/m);
  });

  it('is a package that is installed with its types', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'annals-python-'));
    try {
      const how = ['--quiet', '--no-build-isolation', '--no-deps', '--disable-pip-version-check'];
      await program.output('-m', 'pip', 'install', ...how, '--target', folder, './clients/python');
      const installed = new PythonProgram(python ?? '', { PYTHONPATH: folder });
      const where = await installed.output('-c', 'import annals_client; print(annals_client.__file__)');
      expect(where.trim()).toBe(join(folder, 'annals_client', '__init__.py'));
      expect(readFileSync(join(folder, 'annals_client', 'py.typed'), 'utf8')).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['sync', 'async'])(
    'streams over kill -9 and a restart, with every event once and in order, then waits and cancels: %s',
    async (kind) => {
      const turn = (attempt: number) =>
        say('Before', ...(attempt === 0 ? [before(new Gate())] : []), ', after.');
      const message = stage.book.on(stage.message('killed'), turn);
      const seen: object[] = [];
      for await (const line of program.lines('clients/python/tests/follow.py', kind, message)) {
        seen.push(JSON.parse(line) as object);
        if (stage.book.asksOf(message, 0) === 1 && line.includes('"agent_response"'))
          await stage.service.restart('SIGKILL', { env: { PORT: String(stage.service.port) } });
      }
      expect(stage.book.asksOf(message, 0)).toBe(2);
      const last = seen.pop() as { ended: { run_id: string } };
      expect(last).toMatchObject({
        ended: { status: 'completed' },
        again: [],
        cancelled: { status: 'completed' },
      });
      const headers = { accept: 'application/json' };
      const page = await stage.client.get(`/runs/${last.ended.run_id}/events?limit=200`, { headers });
      expect(seen).toEqual(page.json<{ items: object[] }>().items);
    },
  );

  it.each(['sync', 'async'])('decides on what a run waits for: %s', async (kind) => {
    const message = stage.book.on(stage.message('asks'), say(...call(0, 'c', 'count', {})), say('done'));
    const tools = [{ name: 'count', description: 'Counts', parameters: { type: 'object' } }];
    const headers = { accept: 'application/json' };
    const { session } = (await stage.client.post('/', { message, tools }, { headers })).json();
    const output = await program.output('clients/python/tests/decide.py', kind, String(session));
    const open = { status: 'open', kind: 'tool', asked: { tool: 'count', input: {} }, decision: null };
    const resolved = { ...open, status: 'resolved', decision: 'answer', decided: { reason: 'counted' } };
    expect(JSON.parse(output)).toMatchObject({ actions: [open, open, resolved, resolved], refused: 409 });
  });

  it('answers as its README does', async () => {
    stage.book.on('Carry out weather {"city": "Oslo"}', say(...call(0, 'c', 'weather', { city: 'Oslo' })));
    expect(await program.output('-c', snippet('waiting'))).toBe('answered weather\n');
  });

  it.each(['quick-start', 'quick-start-async'])('runs the %s of its README', async (name) => {
    stage.book.on('What is 6 x 7?', say('6 x 7', ' = 42'));
    expect(await program.output('-c', snippet(name))).toMatch(
      /^6 x 7 = 42\nrun_ses_\S+ completed, 0 US dollars\n$/,
    );
  });

  it('says what the service refuses, and when nobody is there', async () => {
    const source = [
      'import os',
      'from annals_client import Annals, AnnalsRefused, AnnalsUnreachable',
      'def told(url, key, call):',
      '    with Annals(url, key, patience_s=0.3) as annals:',
      '        try: call(annals)',
      '        except AnnalsRefused as error: print(error.status, error.problem["code"])',
      '        except AnnalsUnreachable: print("unreachable")',
      'url, key = os.environ["ANNALS_URL"], os.environ["ANNALS_KEY"]',
      'told(url, "annals_wrong", lambda annals: annals.run("run_none").get())',
      'told(url, key, lambda annals: next(annals.run("run_none").events()))',
      'told(url, key, lambda annals: annals.start({"message": ""}))',
      'told("http://127.0.0.1:1", key, lambda annals: next(annals.run("run_none").events()))',
    ];
    const said = ['401 unauthenticated', '404 not_found', '400 invalid_request', 'unreachable', ''];
    expect(await program.output('-c', source.join('\n'))).toBe(said.join('\n'));
  });

  it('verifies a callback as its README does', async () => {
    const { headers, body } = sampleCallback();
    const source = `${snippet('callback')}\nprint(take(${JSON.stringify(headers)}, b'${body}'))`;
    expect(await program.output('-c', source)).toBe('run_1 1 agent_started\n');
  });
});
