// `npm run annals -- <command>`: builds what is stale, then runs the command in this very process.
const { ppid } = process;
// Before anything else is loaded, which an old Node.js may not be able to.
const LEAST_NODE = 24;
if (Number(process.versions.node.split('.')[0]) < LEAST_NODE) {
  console.error(
    `annals needs Node.js ${LEAST_NODE} or later, and this is ${process.version}; \`npm ci\` brings one for \`npm start\` where it is let run install scripts`,
  );
  process.exit(1);
}
const { build } = await import('./build.mjs');
await build();
// Whoever wanted it has ended meanwhile; from here on the service looks after that itself.
if (process.env.npm_lifecycle_script && process.ppid !== ppid) process.exit(1);
await import('../dist/apps/server/src/cli/main.js');
