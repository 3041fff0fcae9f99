import {
  notFound,
  refusalOf,
  replayRunId,
  runId,
  sessionId,
  unstoredRunId,
  type RunId,
  type SessionId,
} from '#domain';
import { type IdempotencyKeys, type IdempotentRequest, KeyMismatch, type KeyUse } from '#access';
import { NO_EVENTS } from '#event-log';
import type { Random } from '#platform';
import type { RunAdmission } from '../admission.js';
import type { Session } from '../session.js';
import type { Sessions } from '../sessions.js';
import { type PlannedRun, metaOf } from './planned-run.js';

/** Where a run will stand, or stands already. */
export interface RunLocation {
  readonly session: SessionId;
  readonly run: RunId;
  /** Revision of the session behind which the run stands, if it is there already. */
  readonly after: number;
  /** How it was found: for a session that nobody knows yet, for one that the caller names, or by an Idempotency-Key. */
  readonly by: 'new_session' | 'session' | 'key';
}

export interface RunLocatorPorts {
  readonly sessions: Sessions;
  readonly admission: RunAdmission;
  readonly random: Random;
  readonly keys: IdempotencyKeys;
}

/** Finds the place of a run: its session and its id, which an Idempotency-Key makes the same for every try. */
export class RunLocator {
  constructor(private readonly ports: RunLocatorPorts) {}

  /** @throws Problem not_found, rate_limited, idempotency_mismatch, or what the command's checks refuse; LogUnavailable */
  async find(command: PlannedRun): Promise<RunLocation> {
    const { idempotency, project } = command;
    if (idempotency) {
      const { alsoKey, ...own } = idempotency;
      const request: IdempotentRequest = { operation: 'start_run', project, ...own };
      const use = await this.useOf(command, request);
      // Before the run is there: from then on whoever knows only this key can end it, on any replica.
      if (alsoKey !== undefined)
        await this.ports.keys.alsoUse({ ...request, key: alsoKey }, metaOf(command), use);
      return { ...use, by: 'key' };
    }
    await check(command);
    const named = await this.sessionOf(command);
    await command.checkState?.();
    await checkBudget(command, named);
    const { random } = this.ports;
    const session = command.session ?? sessionId((command.sessionPrefix ?? '') + random.hex(12));
    const run = command.firing?.run ?? idMaker(command)(session, random.hex(8));
    return { session, run, after: NO_EVENTS, by: command.session === undefined ? 'new_session' : 'session' };
  }

  /** The key's stream first, then the run: a repeat that finds the key without its run appends the same run. */
  private async useOf(command: PlannedRun, request: IdempotentRequest): Promise<KeyUse> {
    const { keys, admission } = this.ports;
    const known = await this.findUse(command, request);
    if (known !== null) return known;
    await check(command);
    const session = await this.sessionOf(command);
    await command.checkState?.();
    const { session: id, sessionPrefix } = command;
    const ids = keys.idsFor(request, id, sessionPrefix, idMaker(command));
    if (!admission.isComing(ids.session, ids.run)) admission.requireRoom(command.project);
    await checkBudget(command, session);
    const after = session?.journal.revision ?? NO_EVENTS;
    return keys.use(request, metaOf(command), { ...ids, after });
  }

  private async findUse(command: PlannedRun, request: IdempotentRequest): Promise<KeyUse | null> {
    try {
      return (await this.ports.keys.find(request)) ?? (await this.earlierUse(request));
    } catch (error) {
      if (!(error instanceof KeyMismatch) || error.session === null) throw error;
      // That a session is not there, or no more, is said before that the key was used for something else.
      await this.sessionOf(command);
      throw (await this.ports.sessions.isErased(error.session)) ? notFound('the session') : error;
    }
  }

  /** Before retries and replays had keys of their own they were found among those that start runs. */
  private async earlierUse(request: IdempotentRequest): Promise<KeyUse | null> {
    if (request.operation !== 'retry_run' && request.operation !== 'replay_run') return null;
    try {
      return await this.ports.keys.find({ ...request, operation: 'start_run' });
    } catch (error) {
      if (error instanceof KeyMismatch) return null;
      throw error;
    }
  }

  /** The session that the run is to go on with, if it names one. @throws Problem not_found */
  private async sessionOf({ session: id, project }: PlannedRun): Promise<Session | null> {
    return id === undefined ? null : this.ports.sessions.require(project, id);
  }
}

/** Last of all: what the session does not take is refused for that, where it is taken to the log. @throws Problem */
async function checkBudget(command: PlannedRun, session: Session | null): Promise<void> {
  const { onBusy, trigger, retryOf: retry_of } = command;
  const asked = { onBusy, trigger, ...(retry_of === undefined ? {} : { retry_of }) };
  if (session === null || refusalOf(session.journal.state, asked) === null) await command.checkBudget?.();
}

/** What kind of run it is, its id says. */
function idMaker({ replayOf, isUnstored = false }: PlannedRun): typeof runId {
  if (replayOf !== undefined) return replayRunId;
  return isUnstored ? unstoredRunId : runId;
}

/** What depends on time and names: a repeat is answered without it. @throws Problem */
async function check({ plan, check: checkNames }: PlannedRun): Promise<void> {
  plan();
  await checkNames?.();
}
