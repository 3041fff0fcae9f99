#!/usr/bin/env node
/** The oldest Node.js that has what the program uses (node:sqlite, process.loadEnvFile, enableCompileCache). */
const LEAST_NODE = 24;

// Nothing may be imported above this: an old Node.js would break at what it does not know before it could say why.
if (Number(process.versions.node.split('.')[0]) < LEAST_NODE) {
  process.stderr.write(
    `annals needs Node.js ${LEAST_NODE} or later, and this is ${process.version}: start it with \`npm start\` or ` +
      '`npx annals`, which bring their own where `npm ci` was allowed to install it\n',
  );
  process.exit(1);
}
await import('./annals.js');
