import { run as callbacks } from './callbacks.bench.js';
import { run as documents } from './documents.bench.js';
import { run as esdb } from './esdb.bench.js';
import { run as forks } from './forks.bench.js';
import { run as kafka } from './kafka.bench.js';
import { run as log } from './log.bench.js';
import { run as mcp } from './mcp.bench.js';
import { run as sealing } from './sealing.bench.js';
import { run as search } from './search.bench.js';
import { run as observability } from './observability.bench.js';
import { run as proof } from './proof.bench.js';
import { run as rebuild } from './rebuild.bench.js';
import { run as openai } from './openai.bench.js';
import { run as replicas } from './replicas.bench.js';
import { run as tasks } from './tasks.bench.js';
import { run as waiting } from './waiting.bench.js';
import { run as workflow } from './workflow.bench.js';

/** `npm run bench`, or one of them: `npm run bench -- log`. Each prints its own table, with its baseline from the same run. */
const benches: Readonly<Record<string, () => Promise<void>>> = {
  callbacks,
  documents,
  esdb,
  forks,
  kafka,
  log: () => log(),
  mcp: () => mcp(),
  observability,
  openai,
  proof,
  rebuild,
  replicas,
  sealing,
  search,
  tasks,
  waiting,
  workflow: () => workflow(),
};

const wanted = process.argv.slice(2);
for (const name of wanted.length > 0 ? wanted : Object.keys(benches)) {
  const bench = benches[name];
  if (!bench) throw new Error(`no benchmark is called ${name}; there are ${Object.keys(benches).join(', ')}`);
  await bench();
}
process.exit(0);
