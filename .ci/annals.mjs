// `npm run annals -- <command>`: builds what is stale, then runs the command in this very process.
import { build } from './build.mjs';

const { ppid } = process;
await build();
// Whoever wanted it has ended meanwhile; from here on the service looks after that itself.
if (process.env.npm_lifecycle_script && process.ppid !== ppid) process.exit(1);
await import('../dist/apps/server/src/cli/main.js');
