// Bundles the verifier with esbuild, only when it is stale: dist/verify.mjs, one file that imports from `node:` only, and
// dist/verify.html, one file that works from file://. Both are the code of `annals verify`; hashing and signing are swapped.
import { createHash } from 'node:crypto';
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCES = ['libs/proof/src', 'apps/server/src/cli', 'apps/verify-page'];
const PROOF = 'libs/proof/src';
const VERIFY = `${PROOF}/verify`;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && !/\.spec\.ts$/.test(e.name))
    .map((e) => join(e.parentPath, e.name));
const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** There whole or not at all; a source that was changed meanwhile is newer. */
const write = (file, text, began) => {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  utimesSync(draft, began, began);
  renameSync(draft, file);
};

/** How many of the two were built. */
export async function buildVerify(root, out = join(root, 'dist')) {
  const began = new Date();
  const sources = [
    ...SOURCES.flatMap((folder) => filesIn(join(root, folder))),
    ...['package.json', 'package-lock.json'].map((name) => join(root, name)),
    fileURLToPath(import.meta.url),
  ];
  const newest = Math.max(...sources.map(timeOf));
  const targets = ['verify.mjs', 'verify.html'].map((name) => join(out, name));
  if (Math.min(...targets.map(timeOf)) >= newest) return 0;
  const [program, page] = await Promise.all([programOf(root), pageOf(root)]);
  mkdirSync(out, { recursive: true });
  write(targets[0], program, began);
  write(targets[1], page, began);
  return targets.length;
}

async function programOf(root) {
  return bundled(root, 'apps/server/src/cli/verify/single-file.ts', {
    platform: 'node',
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    plugins: [swapped(root, { [`${PROOF}/hashing.ts`]: `${VERIFY}/older-node-hashing.ts` })],
  });
}

async function pageOf(root) {
  const script = await bundled(root, 'apps/verify-page/src/main.ts', {
    platform: 'browser',
    target: ['es2023', 'chrome123', 'firefox125', 'safari17.5'],
    minify: true,
    plugins: [proofInBrowser(root)],
  });
  // The end of a script in HTML, wherever it stands.
  const safe = script.replaceAll('</script', String.raw`<\/script`).trim();
  const style = readFileSync(join(root, 'apps/verify-page/style.css'), 'utf8').trim();
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(safe)}'`,
    `style-src '${hashOf(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const page = readFileSync(join(root, 'apps/verify-page/index.html'), 'utf8');
  return [
    ['POLICY', policy],
    ['<style></style>', `<style>${style}</style>`],
    ['<script></script>', `<script>${safe}</script>`],
  ].reduce((html, [place, text]) => {
    if (html.split(place).length !== 2) throw new Error(`the page has no one place for ${place}`);
    // A function: the text may hold what stands for something in a replacement.
    return html.replace(place, () => text);
  }, page);
}

/** For whoever bundles `#proof/browser`: hashing and signing without Node.js. */
export const proofInBrowser = (root) =>
  swapped(root, {
    [`${PROOF}/hashing.ts`]: `${PROOF}/hashing.browser.ts`,
    [`${PROOF}/signing.ts`]: `${PROOF}/signing.browser.ts`,
  });

const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

async function bundled(root, entry, options) {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    alias: { '#proof/browser': join(root, PROOF, 'browser.ts'), '#proof': join(root, PROOF, 'index.ts') },
    bundle: true,
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    tsconfigRaw: { compilerOptions: { target: 'es2024', useDefineForClassFields: true } },
    write: false,
    logLevel: 'warning',
    ...options,
  });
  return outputFiles[0].text;
}

/** Takes other files of the same shape. */
const swapped = (root, files) => ({
  name: 'swapped',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /(?:hashing|signing)\.js$/ }, async ({ path, pluginData, ...args }) => {
      if (pluginData === 'asked') return undefined;
      const found = await resolve(path, { ...args, pluginData: 'asked' });
      const other = files[relative(root, found.path)];
      return other === undefined ? found : { ...found, path: join(root, other) };
    });
  },
});
