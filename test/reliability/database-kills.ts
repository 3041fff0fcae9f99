import { readFileSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '../support/service-process.js';
import { checkReads, readEverything } from './check-reads.js';
import { StoredContents, readLog } from './evidence.js';
import { Theatre } from './theatre.js';
import { type RowReport, Verdict, say, spreadOf } from './verdict.js';

const LOOK_MS = 100;

/** F10: PostgreSQL is killed again and again under load; then its folder is damaged in every way that a start may meet. */
export async function databaseKills(kills: number): Promise<RowReport> {
  const theatre = await Theatre.open();
  try {
    const { service } = theatre.stage;
    const backMs: number[] = [];
    const play = { isOver: false };
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let n = 0; !play.isOver; n++)
        await theatre.witness.run(`long ${client} ${n}`, { body: { streaming_tokens: true } });
    });
    for (let n = 0; n < kills; n++) backMs.push(await killDatabase(theatre));
    play.isOver = true;
    await Promise.all(clients);
    const damaged = new Verdict();
    for (const damage of DAMAGES) await damageFolder(service, theatre, damage, damaged);
    await ready(service);
    const verdict = await theatre.audit();
    for (const problem of damaged.problems) verdict.note(problem);
    const line = `F10 ${kills} kills of PostgreSQL, ${DAMAGES.length} damaged folders: ${verdict.line}; lists answered again: ${spreadOf(backMs)}`;
    const more = { 'lists answer again after PostgreSQL was killed': spreadOf(backMs) };
    return { faults: kills + DAMAGES.length, verdict, line, measured: { more } };
  } catch (error) {
    const { service } = theatre.stage;
    if (service.isRunning) throw error;
    throw new Error(`the service ended without its database: ${service.output.slice(-3000)}`, {
      cause: error,
    });
  } finally {
    await theatre.close();
  }
}

/** Kills the postmaster; the history must answer all the while. Milliseconds until the lists answer again. */
async function killDatabase({ stage, witness }: Theatre): Promise<number> {
  const { client, service } = stage;
  const before = postmaster(service);
  const since = performance.now();
  process.kill(before, 'SIGKILL');
  const session = witness.wishes.find(({ answers }) => answers.length > 0)?.answers[0]?.session;
  for (;;) {
    const run = await unlessReset(() => client.runToEnd(`plain ${since} ${performance.now()}`), service);
    if (run === null) continue;
    if (run.status !== 'completed') throw new Error(`a run is ${run.status} without the database`);
    if (session !== undefined) await client.history(session);
    const lists = await client.get('/runs?limit=1');
    if (lists.status === 200 && postmaster(service) !== before) return performance.now() - since;
    if (lists.status !== 200 && lists.status !== 503)
      throw new Error(`a list answered ${lists.status}: ${lists.text}\n${service.output.slice(-3000)}`);
    await sleep(LOOK_MS);
  }
}

/** null: the connection broke, although the service lives; whoever asked asks again. */
async function unlessReset<T>(ask: () => Promise<T>, service: ServiceProcess): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if ((error as { code?: string }).code !== 'ECONNRESET') throw error;
    // One that has died is told by its exit, soon after its connections.
    await sleep(1_000);
    if (!service.isRunning) throw error;
    say('F10 a connection was reset although the service lives');
    return null;
  }
}

function postmaster({ dataDir }: ServiceProcess): number {
  try {
    return Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  } catch {
    return 0;
  }
}

interface Damage {
  readonly name: string;
  do(folder: string): void;
}

const DAMAGES: readonly Damage[] = [
  { name: 'no control file', do: (folder) => rmSync(join(folder, 'global', 'pg_control')) },
  { name: 'half a control file', do: (folder) => truncateSync(join(folder, 'global', 'pg_control'), 100) },
  { name: 'no version', do: (folder) => rmSync(join(folder, 'PG_VERSION')) },
  { name: 'another version', do: (folder) => writeFileSync(join(folder, 'PG_VERSION'), '9\n') },
  { name: 'no write-ahead log', do: (folder) => rmSync(join(folder, 'pg_wal'), { recursive: true }) },
  { name: 'a lost password', do: (folder) => rmSync(`${folder}.password`) },
  { name: 'another password', do: (folder) => writeFileSync(`${folder}.password`, 'x\n') },
  { name: 'a folder that is gone', do: (folder) => rmSync(folder, { recursive: true }) },
  { name: 'its largest tables cut in half', do: cutTables },
];

/** The files of tables and indexes, without PostgreSQL's own. */
function cutTables(folder: string): void {
  const base = join(folder, 'base');
  for (const database of readdirSync(base))
    for (const name of readdirSync(join(base, database))) {
      const file = join(base, database, name);
      if (Number(name) >= 16_384 && statSync(file).size >= 16_384) truncateSync(file, 8_192);
    }
}

/** Damages the folder while nothing runs; after the next start lists and histories are what the log says. */
async function damageFolder(
  service: ServiceProcess,
  { stage }: Theatre,
  damage: Damage,
  verdict: Verdict,
): Promise<void> {
  await service.kill('SIGTERM');
  damage.do(join(service.dataDir, 'postgres'));
  const runs = (await readLog(service.dataDir)).filter(({ type }) => type === 'run_requested').length;
  try {
    await service.launch();
    // While the tables are filled again from the log the lists are short.
    while ((await stage.client.all('/runs')).length < runs) await sleep(LOOK_MS);
    const reads = await readEverything(stage.client);
    await service.kill('SIGTERM');
    const found = new Verdict();
    checkReads(reads, await readLog(service.dataDir), await StoredContents.open(service.dataDir), found);
    for (const problem of found.problems) verdict.note(`${damage.name}: ${problem}`);
  } catch (error) {
    verdict.note(`${damage.name}: ${error instanceof Error ? error.message.slice(0, 400) : String(error)}`);
    await service.kill('SIGKILL');
    rmSync(join(service.dataDir, 'postgres'), {
      recursive: true,
      force: true,
      maxRetries: 10,
      retryDelay: 50,
    });
  }
}

/** Running, whatever the last damage left. */
async function ready(service: ServiceProcess): Promise<void> {
  if (!service.isRunning) await service.launch();
}
