// Compiles what is stale of apps, libs, test/support, test/bench, test/simulation and test/reliability into dist, file by file,
// with SWC; the console and the verifier's single files are bundled. Prints only what it did.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { buildVerify } from './build-verify.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const options = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).jest.transform['^.+\\.ts$'][1];

const filesIn = (folder, ending) => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((e) => e.isFile() && e.name.endsWith(ending))
      .map((e) => join(e.parentPath, e.name));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};
/** What esbuild makes of the console, and what it is made of. */
const isOfConsole = (file) => /^(apps|dist)\/console\//.test(relative(root, file));
const timeOf = (file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
const target = (file) => join(root, 'dist', relative(root, file).replace(/\.ts$/, '.js'));

/** There whole or not at all: another process may be starting from these files. */
const write = (file, text) => {
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, text);
  renameSync(draft, file);
};

/** @returns how many files were compiled, the console as one */
export async function build() {
  const [compiled, isConsoleNew, verifiers] = await Promise.all([
    compile(),
    buildConsole(root),
    buildVerify(root),
  ]);
  return compiled + Number(isConsoleNew) + verifiers;
}

async function compile() {
  const sources = ['apps', 'libs', 'test/support', 'test/bench', 'test/simulation', 'test/reliability']
    .flatMap((d) => filesIn(join(root, d), '.ts'))
    .filter((f) => !f.endsWith('.spec.ts') && !isOfConsole(f));
  const wanted = new Set(sources.map(target));
  for (const old of filesIn(join(root, 'dist'), '.js'))
    if (!wanted.has(old) && !isOfConsole(old)) rmSync(old, { force: true });
  const newest = Math.max(
    timeOf(join(root, 'package-lock.json')),
    timeOf(join(root, 'package.json')),
    timeOf(fileURLToPath(import.meta.url)),
  );
  const stale = sources.filter((file) => timeOf(target(file)) < Math.max(timeOf(file), newest));
  if (stale.length === 0) return 0;
  const { transform } = await import('@swc/core');
  await Promise.all(
    stale.map(async (file) => {
      const out = target(file);
      const { code, map } = await transform(readFileSync(file, 'utf8'), {
        ...options,
        filename: file,
        sourceMaps: true,
      });
      mkdirSync(dirname(out), { recursive: true });
      write(out + '.map', map);
      write(out, `${code}\n//# sourceMappingURL=${out.split('/').pop()}.map\n`);
    }),
  );
  return stale.length;
}

/** Jest's globalSetup: threads and child processes of the tests run compiled code. */
export default build;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const count = await build();
  if (count > 0) console.error(`built ${count} files`);
}
