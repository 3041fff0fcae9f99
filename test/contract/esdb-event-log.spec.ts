import { randomUUID } from 'node:crypto';
import { MemoryContentKeys } from '#event-log';
import { EsdbEventLog } from '#eventstoredb';
import { SilentLogger } from '#platform';
import { requireServer } from '../support/esdb-server/server-there.js';
import { EsdbServer } from '../support/esdb-server/esdb-server.js';
import { eventLogContract } from './event-log.contract.js';
import type { LogHarness } from './event-log/harness.js';

/** A real server, where one is given; otherwise the protocol server, which proves only our reading of the protocol. */
const url = process.env['EVENTSTORE_URL'];

/** Once for all tests: where there is none, all of them say so at once. */
let isThere: Promise<void> | null = null;

async function makeHarness(): Promise<LogHarness> {
  if (url !== undefined) await (isThere ??= requireServer(url));
  const server = url === undefined ? await EsdbServer.start() : null;
  const prefix = `contract-${randomUUID()}.`;
  const keys = new MemoryContentKeys();
  const open = (): Promise<EsdbEventLog> =>
    EsdbEventLog.open({ connectionString: url ?? server!.url, prefix, keys, logger: new SilentLogger() });
  let log = await open();
  return {
    keys,
    get log() {
      return log;
    },
    reopen: async () => {
      await log.close();
      log = await open();
      return log;
    },
    dispose: async () => {
      await log.close();
      server?.stop();
    },
  };
}

eventLogContract(url === undefined ? 'EsdbEventLog on the protocol server' : 'EsdbEventLog', makeHarness);
