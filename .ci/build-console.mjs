// Bundles apps/console with esbuild into dist/console, only when it is stale: split by page, minified, under hashed names, each
// file with its .br and .gz beside it. Files come first and index.html last, so whoever starts meanwhile has a whole page.
import {
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { proofInBrowser } from './build-verify.mjs';

/** What the console takes of the libraries, which has nothing of Node.js: by its name in an import. */
export const DOORS = {
  '#domain/browser': 'libs/domain/src/browser.ts',
  '#projections': 'libs/projections/src/index.ts',
  '#proof/browser': 'libs/proof/src/browser.ts',
  '#workflow': 'libs/workflow/src/index.ts',
};
const SOURCES = ['apps/console', ...Object.values(DOORS).map(dirname)];
const ASSETS = '/console/assets';
/** A draft that is older was left by a process that was killed. */
const DRAFT_MS = 600_000;

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && !/\.spec\.ts$/.test(e.name))
    .map((e) => join(e.parentPath, e.name));
const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const write = (file, bytes) => {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, bytes);
  renameSync(draft, file);
};

/** Whether it was built. */
export async function buildConsole(root, out = join(root, 'dist/console')) {
  const began = new Date();
  const sources = [
    ...SOURCES.flatMap((folder) => filesIn(join(root, folder))),
    ...['package.json', 'package-lock.json'].map((name) => join(root, name)),
    fileURLToPath(import.meta.url),
  ];
  if (timeOf(join(out, 'index.html')) >= Math.max(...sources.map(timeOf))) return false;
  const { outputFiles, metafile } = await bundleConsole(root);
  const entries = new Map(
    Object.entries(metafile.outputs).flatMap(([file, { entryPoint, imports }]) =>
      entryPoint === undefined ? [] : [[entryPoint, { file: basename(file), imports }]],
    ),
  );
  const shell = pageOf(readFileSync(join(root, 'apps/console/index.html'), 'utf8'), entries);
  const files = [
    ...outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, Buffer.from(contents)]),
    ['index.html', Buffer.from(shell)],
  ];
  mkdirSync(join(out, 'assets'), { recursive: true });
  const wanted = new Set();
  for (const [name, bytes] of await compressed(files)) {
    wanted.add(join(out, name));
    write(join(out, name), bytes);
  }
  // A source that was changed meanwhile is newer than this.
  utimesSync(join(out, 'index.html'), began, began);
  for (const old of filesIn(out))
    if (!wanted.has(old) && !(old.endsWith('.tmp') && Date.now() - timeOf(old) < DRAFT_MS))
      rmSync(old, { force: true });
  return true;
}

/** Fails on anything that a browser has not, such as `node:` imports. */
export async function bundleConsole(root) {
  const { build } = await import('esbuild');
  return build({
    absWorkingDir: root,
    entryPoints: { console: 'apps/console/src/app/main.tsx', theme: 'apps/console/src/theme/index.css' },
    outdir: 'dist/console/assets',
    tsconfig: 'apps/console/tsconfig.json',
    alias: Object.fromEntries(Object.entries(DOORS).map(([name, file]) => [name, join(root, file)])),
    plugins: [proofInBrowser(root), lexerOnly(), withCommon(root)],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome123', 'firefox125', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
}

/**
 * Of `marked` its lexer alone, a quarter less: the file makes an object of everything else as it is loaded, so that nothing of
 * it could be left out. What stands before that stays as it is, and the bundler drops what the lexer does not use.
 */
const lexerOnly = () => ({
  name: 'lexer-only',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules[\\/]marked[\\/]lib[\\/]marked\.esm\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      const nameOf = (name) => new RegExp(`[{,](\\w+) as ${name}[,}]`).exec(text)?.[1];
      const at = text.search(new RegExp(`\\bvar \\w+=new ${nameOf('Marked')};`));
      const lexer = nameOf('Lexer');
      if (at < 0 || lexer === undefined) throw new Error('marked is made otherwise than it was');
      return { contents: `${text.slice(0, at)}export{${lexer} as Lexer};`, loader: 'js' };
    });
  },
});

/**
 * Whatever is fetched later imports all that pages have in common, whether it needs it or not: so that stands in one file. The
 * bundler makes a file of each set of parts that others share, and dozens of small ones weigh kilobytes more.
 */
const withCommon = (root) => ({
  name: 'with-common',
  setup({ onLoad, onResolve, resolve }) {
    const later = new Set();
    onResolve({ filter: /^\./ }, async ({ path, kind, pluginData, ...args }) => {
      if (kind !== 'dynamic-import' || pluginData === 'asked') return undefined;
      const found = await resolve(path, { ...args, kind, pluginData: 'asked' });
      later.add(found.path);
      return found;
    });
    onLoad({ filter: /[\\/]apps[\\/]console[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => {
      if (!later.has(path)) return undefined;
      const common = JSON.stringify(join(root, 'apps/console/src/app/common.ts'));
      const contents = `import ${common};\n${readFileSync(path, 'utf8')}`;
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
});

/** index.html names its sources: they become the files that were made of them, and what those import is fetched at once. */
function pageOf(html, entries) {
  const named = html.replace(/(src|href)="(src\/[^"]+)"/g, (_, attribute, source) => {
    const entry = entries.get(`apps/console/${source}`);
    if (entry === undefined) throw new Error(`index.html names ${source}, which is no entry`);
    return `${attribute}="${ASSETS}/${entry.file}"`;
  });
  const { imports } = entries.get('apps/console/src/app/main.tsx');
  const links = imports
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="${ASSETS}/${basename(path)}">\n`);
  return named.replace('</head>', `${links.join('')}</head>`);
}

/** Each file, and it as brotli and as gzip; in the order given, so that index.html comes last. */
async function compressed(files) {
  const brotli = promisify(brotliCompress);
  const zip = promisify(gzip);
  const made = await Promise.all(
    files.map(async ([name, bytes]) => {
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: 11,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      const [br, gz] = await Promise.all([brotli(bytes, { params }), zip(bytes, { level: 9 })]);
      return [
        [`${name}.br`, br],
        [`${name}.gz`, gz],
        [name, bytes],
      ];
    }),
  );
  return made.flat();
}
