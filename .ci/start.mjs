// `npm start`: builds what is stale, then runs the server in this very process.
import { enableCompileCache } from 'node:module';
import { build } from './build.mjs';

await build();
enableCompileCache();
await import('../dist/apps/server/src/main.js');
