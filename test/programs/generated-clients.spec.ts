import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isInstalledIn } from '../support/installed.js';
import { PythonProgram, pythonForGenerated } from '../support/python.js';
import { ADMIN_KEY, ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);
const NODE = resolve('node_modules/.bin/node');
const DESCRIPTION = resolve('docs/openapi.json');
const GENERATORS = resolve('test/generators');
const ANSWER = expect.stringMatching(/^6 x 7 is 42\./);

const isThere = isInstalledIn(GENERATORS, '.bin/openapi-ts');
if (!isThere)
  process.stdout.write('the generators of test/generators cannot be installed: their test is skipped\n');
const hasJava = spawnSync('java', ['-version'], { stdio: 'ignore' }).status === 0;
const python = hasJava ? pythonForGenerated() : null;
if (python === null)
  process.stdout.write('there is no Java, or no Python with openapi-generator: its test is skipped\n');

let service: ServiceProcess;
let folder = '';
beforeAll(async () => {
  service = await ServiceProcess.start();
  folder = mkdtempSync(join(tmpdir(), 'annals-generated-'));
});
afterAll(async () => {
  await service.dispose();
  rmSync(folder, { recursive: true, force: true });
});

const environment = () => ({ ANNALS_URL: service.origin, ANNALS_KEY: ADMIN_KEY });
const linesOf = (output: string): unknown[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

(isThere ? describe : describe.skip)('TypeScript of docs/openapi.json', () => {
  let home = '';
  beforeAll(async () => {
    home = join(folder, 'typescript');
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{"type":"module"}');
    for (const name of ['use-typescript.ts', 'use-fetch.ts', 'tsconfig.json'])
      cpSync(join(GENERATORS, name), join(home, name));
    for (const [of, names] of [
      ['.', ['@types', 'undici-types']],
      [GENERATORS, ['openapi-fetch', 'openapi-typescript-helpers']],
    ] as const)
      for (const name of names) {
        mkdirSync(dirname(join(home, 'node_modules', name)), { recursive: true });
        symlinkSync(resolve(of, 'node_modules', name), join(home, 'node_modules', name));
      }
    const generate = (tool: string, ...words: string[]) =>
      run(NODE, [join(GENERATORS, 'node_modules/.bin', tool), ...words], { cwd: GENERATORS });
    await generate('openapi-ts', '-i', DESCRIPTION, '-o', join(home, 'made'), '-c', '@hey-api/client-fetch');
    await generate('openapi-typescript', DESCRIPTION, '-o', join(home, 'made/schema.ts'));
    // What does not compile is a finding, and stands in what is thrown.
    execFileSync(resolve('node_modules/.bin/tsc'), ['-p', home, '--outDir', join(home, 'out')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  });

  const program = async (name: string): Promise<unknown[]> =>
    linesOf(
      (await run(NODE, [join(home, 'out', name)], { env: { ...process.env, ...environment() } })).stdout,
    );

  it('by @hey-api/openapi-ts calls the service', async () => {
    expect(await program('use-typescript.js')).toEqual([
      ['ended', 'completed', ANSWER],
      ['run', 'completed', null, true],
      ['text', [ANSWER]],
      [
        'messages',
        [
          ['user_message', 'What is 6 x 7?'],
          ['agent_thinking', expect.any(String)],
          ['agent_response', ANSWER],
        ],
      ],
      ['accepted', 'queued'],
      ['document', 'indexed'],
      ['refused', 404, 'not_found'],
    ]);
  });

  it('by openapi-typescript types what calls the service', async () => {
    expect(await program('use-fetch.js')).toEqual([
      ['ended', 'completed', ANSWER],
      ['text', [ANSWER]],
    ]);
  });
});

(python === null ? describe.skip : describe)('Python of docs/openapi.json', () => {
  it('by openapi-generator calls the service, with a type for everything that comes', async () => {
    const home = join(folder, 'python');
    const words = ['generate', '-g', 'python', '-i', DESCRIPTION, '-o', home, '--package-name', 'annals_api'];
    await new PythonProgram(python ?? '').output(
      join(dirname(python ?? ''), 'openapi-generator-cli'),
      ...words,
    );
    const program = new PythonProgram(python ?? '', { ...environment(), PYTHONPATH: home });
    const said = (await program.output('test/generators/use-python.py')).trim().split('\n');
    const text = "6 x 7 is 42\\.[^']*";
    for (const [n, pattern] of [
      /^ended completed 6 x 7 is 42\./,
      /^run completed None True True$/,
      /^events \['AgentStartedEvent', .*'AgentResponseEvent', 'AgentStepEvent', 'AgentCostEvent', 'AgentCompletedEvent'\]$/,
      new RegExp(`^text \\['${text}'\\]$`),
      new RegExp(
        `^messages \\[\\('user_message', 'What is 6 x 7\\?'\\), .*\\('agent_response', '${text}'\\)\\]$`,
      ),
      /^session True$/,
      /^accepted queued 1$/,
      /^task scheduled cancelled$/,
      /^cancelled True$/,
      /^document indexed \[\]$/,
      /^found \[\('notes\.txt', None\)\]$/,
      /^key \['read'\] None$/,
      /^refused 404 not_found$/,
    ].entries())
      expect(said[n]).toMatch(pattern);
  });
});
