// The rooms of apps/console, as its bundler sees them: dependency-cruiser cannot read TSX. Its own files, the doors of
// libraries that are open to browsers, and its packages, nothing else of the house and nothing of Node.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DOORS, bundleConsole } from './build-console.mjs';

const PACKAGES = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  '@tanstack/virtual-core',
  'marked',
  '@noble/hashes',
  'croner',
];
const isOwn = (file) => file.startsWith('apps/console/');
const isPackage = (file) => PACKAGES.some((name) => file.includes(`node_modules/${name}/`));

const { metafile } = await bundleConsole(dirname(dirname(fileURLToPath(import.meta.url))));
const foreign = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
  isOwn(file)
    ? imports
        .map(({ path }) => path)
        // Types alone are not there.
        .filter(
          (path) =>
            path in metafile.inputs &&
            !isOwn(path) &&
            !isPackage(path) &&
            !Object.values(DOORS).includes(path),
        )
        .map((path) => `${file} imports ${path}`)
    : [],
);
if (foreign.length > 0) {
  console.error(`apps/console stands alone:\n  ${foreign.join('\n  ')}`);
  process.exit(1);
}
