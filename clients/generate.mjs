// Writes the types of both clients from docs/openapi.json: `node clients/generate.mjs`, or with `--check` says what is stale.
// Our own, since one description gives both languages their types, in names and order of its own, on a checkout with no
// network: the published generators need a compiler that is older than ours, or a Python package that ours would have to
// depend on at run time.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { pythonTypes } from './python-types.mjs';
import { typescriptTypes } from './typescript-types.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (path) => join(root, path);
const BY_WHOM = 'Generated from docs/openapi.json by clients/generate.mjs: change it there.';

/** The text of each generated file, by its path. */
export async function generated() {
  const { components } = JSON.parse(readFileSync(at('docs/openapi.json'), 'utf8'));
  const style = JSON.parse(readFileSync(at('package.json'), 'utf8')).prettier;
  const typescript = `// ${BY_WHOM}\n\n${typescriptTypes(components.schemas)}`;
  return {
    'clients/typescript/src/types.ts': await format(typescript, { ...style, parser: 'typescript' }),
    'clients/python/src/annals_client/types.py': `# ${BY_WHOM}\n${pythonTypes(components.schemas)}`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(await generated())) {
    if (!process.argv.includes('--check')) writeFileSync(at(path), text);
    else if (readFileSync(at(path), 'utf8') !== text) {
      console.error(`${path} is stale: node clients/generate.mjs`);
      process.exitCode = 1;
    }
  }
}
