import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../apps/server/src/cli/commands.js';

/** Of each page the test that runs its blocks `sh run`, in their order. */
const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'test/programs/docs-pages.spec.ts',
  'docs/approvals.md': 'test/programs/docs-pages.spec.ts',
  'docs/console.md': 'test/programs/docs-pages.spec.ts',
  'docs/final-output.md': 'test/programs/docs-pages.spec.ts',
  'docs/integrators.md': 'test/integration/cli-docs.spec.ts',
  'docs/money.md': 'test/programs/docs-pages.spec.ts',
  'docs/openai.md': 'test/programs/docs-pages.spec.ts',
  'docs/operations.md': 'test/integration/cli-docs.spec.ts',
  'docs/proof.md': 'test/proof/docs.spec.ts',
  'docs/replay.md': 'test/programs/docs-pages.spec.ts',
  'docs/tutorial.md': 'test/programs/docs-pages.spec.ts',
  'docs/workflows.md': 'test/programs/docs-pages.spec.ts',
};

/** Blocks that are not marked, by the words that they begin with: what runs them, or why nothing can. */
const OTHERWISE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'README.md': {
    'you ── POST': 'a picture',
    'npm ci && npm start': 'CI does the first, test/faults/wrapped-start.spec.ts the second',
    'export ANNALS_KEY=annals_…': 'the test brings its key',
    'OPENAI_BASE_URL=': "asks for somebody's key of a provider; test/e2e/strangers-models.spec.ts sets both",
    'npm ci && npm test': 'what CI runs, this test in it',
  },
  'docs/approvals.md': {
    'TOKEN=sesame PORT=4100 node': 'the test starts it on a free port',
    'EGRESS_ALLOW=127.0.0.1 npm start': 'the test starts the service itself',
  },
  'docs/datastores.md': {
    'annals() {': 'test/programs/docs-datastores.spec.ts',
    'made=$(annals': 'test/programs/docs-datastores.spec.ts, with a database that is there',
  },
  'docs/eventstoredb.md': {
    'EVENTSTORE_URL=': 'asks for a server of EventStoreDB, which no test machine has',
  },
  'docs/mcp.md': { 'TOKEN=sesame PORT=4100 node': 'test/integration/docs-examples.spec.ts, on a free port' },
  'docs/observability.md': {
    'curl "$ANNALS_URL/api-keys"': 'test/e2e/observability-metrics.spec.ts makes and uses such a key',
  },
  'docs/openai.md': {
    'pip install openai':
      'test/programs/openai-clients.spec.ts runs it where there is a Python with the package',
  },
  'docs/operations.md': {
    'digest=$(docker': 'asks for Docker; deploy/check-image.mjs carries the Dockerfile out without it',
    'docker compose --profile embedded': 'asks for Docker; test/compose.spec.ts holds the file',
    'cp deploy/.env.example': 'asks for Docker; test/compose.spec.ts holds the file',
    'kubectl apply': 'asks for a cluster; test/kubernetes.spec.ts holds the manifests',
    'npm run test:reliability -- --fuzz': 'the long form of what test/reliability runs, for hours',
    'schemathesis run': 'a program of others, which is not installed here',
  },
  'docs/tutorial.md': {
    'npm ci && EGRESS_ALLOW=127.0.0.1 npm start': 'CI does the first, the test starts the service itself',
    'export ANNALS_KEY=annals_…': 'the test brings its key',
  },
  'docs/upgrade.md': {
    'npm run -s annals -- verify-log': 'docs/operations.md has the same, which is run',
    'git pull && npm ci': 'changes the checkout that the test runs in; the parts are what CI runs',
    'docker compose build':
      'asks for Docker and a cluster; test/compose.spec.ts and test/kubernetes.spec.ts hold the files',
  },
};

const SHELLS = new Set(['', 'sh', 'bash', 'shell', 'console']);
const pages = [
  'README.md',
  ...readdirSync('docs')
    .filter((f) => f.endsWith('.md'))
    .map((f) => `docs/${f}`),
];
const textOf = (file: string): string => readFileSync(file, 'utf8');
const blocksOf = (page: string): { readonly language: string; readonly text: string }[] =>
  Array.from(textOf(page).matchAll(/^```([^\n]*)\n([^]*?)^```$/gm), ([, language = '', text = '']) => ({
    language,
    text: text.trim(),
  }));

describe.each(pages)('%s', (page) => {
  const blocks = blocksOf(page);
  const known = Object.keys(OTHERWISE[page] ?? {});

  it('has no command that nobody runs', () => {
    const unknown = blocks
      .filter(({ language }) => SHELLS.has(language))
      .filter(({ text }) => !known.some((beginning) => text.startsWith(beginning)));
    expect(unknown).toEqual([]);
    const unused = known.filter((beginning) => !blocks.some(({ text }) => text.startsWith(beginning)));
    expect(unused).toEqual([]);
  });

  it('is named by the test that runs what is marked', () => {
    const marked = blocks.filter(({ language }) => language === 'sh run').length;
    expect([page, marked > 0]).toEqual([page, page in RUN_BY]);
    if (marked > 0) expect(textOf(RUN_BY[page] ?? '')).toContain(`'${page}'`);
  });

  it('names scripts and commands that there are', () => {
    const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> };
    const named = Array.from(
      textOf(page).matchAll(/`[^`\n]*\bnpm run (?:-s )?([a-z][a-z:-]*)/g),
      ([, n]) => n,
    );
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ''))).toEqual([]);
    const commands = new Set(COMMANDS.map(({ name }) => name.split(' ')[0]));
    const called = Array.from(textOf(page).matchAll(/`(?:npx )?annals ([a-z][a-z-]*)/g), ([, n]) => n);
    expect(called.filter((name) => !commands.has(name ?? ''))).toEqual([]);
  });
});
