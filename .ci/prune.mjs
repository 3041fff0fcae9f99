// Takes from installed packages what a running service never reads: `node .ci/prune.mjs FOLDER`, the folder that holds
// node_modules. Sources, types, maps and manuals of all; of some, the builds for browsers and the variants that are not used.
// deploy/check-image.mjs starts what is left, reads a scan and a PDF with it, and opens the documentation.
import { globSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(process.argv[2] ?? '.', 'node_modules');

const UNUSED = [
  '**/*.{ts,mts,cts}',
  '**/*.map',
  '**/*.{md,markdown}',
  '@types',
  // Node takes .js with .wasm beside it. Both kinds of core stay: tesseract.js takes the whole one also where it is asked for
  // its newer method (OEM.LSTM_ONLY) alone.
  'tesseract.js-core/*.wasm.js',
  'tesseract.js/dist',
  '@tesseract.js-data/eng/4.0.0',
  // libs/extraction reads legacy/build/pdf.mjs, whose worker lies beside it.
  'pdfjs-dist/{build,image_decoders,types,web}',
  'pdfjs-dist/legacy/{image_decoders,web}',
  'pdfjs-dist/legacy/build/*.min.mjs',
  'typeorm/browser',
  'openai/src',
  'rxjs/{src,dist/bundles,dist/esm,dist/esm5,dist/types}',
  'class-validator/{bundles,esm5,esm2015}',
  'class-transformer/{bundles,esm5,esm2015}',
  'libphonenumber-js/bundle',
  'zlibjs/bin/*.dev.*',
  'zod/src',
];

for (const path of globSync(UNUSED, { cwd: modules }))
  rmSync(join(modules, path), { recursive: true, force: true });
