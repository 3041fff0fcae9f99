// `npm run annals -- <command>`: builds what is stale, then runs the command in this very process.
import { build } from './build.mjs';

await build();
await import('../dist/apps/server/src/cli/main.js');
