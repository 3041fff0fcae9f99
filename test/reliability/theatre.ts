import { resolve } from 'node:path';
import { Stage } from '../support/stage.js';
import type { ServiceOptions } from '../support/service-process.js';
import { checkConnections, checkWishes } from './check-clients.js';
import { checkSessions, checkTurns } from './check-log.js';
import { checkReads, readEverything } from './check-reads.js';
import { StoredContents, readLog } from './evidence.js';
import { turnsOf } from './scenarios.js';
import { Verdict } from './verdict.js';
import { Witness } from './witness.js';

/** Loaded into the service: dies where the messages of its runs say. */
export const DIE_AT_APPEND = resolve('test/reliability/hooks/die-at-append.ts');

/** A stage on which the scenarios are played, with clients that remember everything, and its audit in the end. */
export class Theatre {
  readonly witness: Witness;

  private constructor(readonly stage: Stage) {
    this.witness = new Witness(stage.service);
    stage.book.find = turnsOf;
  }

  static async open(options: ServiceOptions = {}): Promise<Theatre> {
    return new Theatre(await Stage.open(options));
  }

  /** Reads what the service tells, stops it, and holds everything against the log. */
  async audit(): Promise<Verdict> {
    const { service, book, client } = this.stage;
    const reads = await readEverything(client);
    await service.kill('SIGTERM');
    const verdict = new Verdict();
    const log = await readLog(service.dataDir);
    const contents = await StoredContents.open(service.dataDir);
    checkSessions(log, verdict);
    checkTurns(log, book.asks, contents, verdict);
    checkConnections(this.witness.connections, log, contents, verdict);
    checkWishes(this.witness.wishes, log, contents, verdict);
    checkReads(reads, log, contents, verdict);
    return verdict;
  }

  close(): Promise<void> {
    this.witness.giveUp();
    return this.stage.close();
  }
}
