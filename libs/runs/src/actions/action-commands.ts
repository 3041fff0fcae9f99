import { isDeepStrictEqual } from 'node:util';
import type { Toolboxes } from '#agent';
import {
  type ActionId,
  type CurrentRun,
  type OpenAction,
  Problem,
  type Revision,
  type SessionState,
  decideAction,
  fitsKind,
  notFound,
  openAction,
  parseDollars,
  sessionOfAction,
  sessionStream,
} from '#domain';
import { type EventLog, LogUnavailable } from '#event-log';
import { type Schemas, faultsOfArguments } from '#json-schema';
import type { Clock } from '#platform';
import type { ContentStore } from '#vault';
import { readRequest } from '../load-session.js';
import { requireServers } from '../require-servers.js';
import type { Caller } from '../session-commands.js';
import type { Session } from '../session.js';
import type { Sessions } from '../sessions.js';
import type { ActionIndex } from './action-index.js';
import type { DecisionRequest } from './decision-request.js';
import { refuse, requireResult, resultOf } from './decision-checks.js';
import { retriedActors } from './retried-actors.js';
import { type ActionRecord, readAction, readOfferedTool } from './action-record.js';

export interface ActionPorts {
  readonly log: EventLog;
  readonly sessions: Sessions;
  readonly contents: ContentStore;
  readonly schemas: Schemas;
  readonly toolboxes: Toolboxes;
  readonly clock: Clock;
}

type Opened = NonNullable<ReturnType<typeof openAction>>;

/** What an action was decided on, as events hold it. */
interface Verdict {
  readonly content: string;
  readonly result: string;
}

interface Said {
  readonly reason?: string;
  readonly input?: unknown;
  readonly budget?: string;
}

/** Reads actions, and decides on them. */
export class ActionCommands {
  constructor(
    private readonly ports: ActionPorts,
    private readonly index: () => ActionIndex,
  ) {}

  /** @throws Problem not_found; LogUnavailable */
  async get(id: ActionId, project: string): Promise<ActionRecord> {
    const session = await asAction(this.ports.sessions.require(project, sessionOf(id)));
    return this.read(session, id, project);
  }

  /**
   * The first decision holds: the same again changes nothing. @throws Problem not_found; conflict where another decision was
   * first, its time is over, or its run has ended; unprocessable where it does not fit what was asked; forbidden;
   * LogUnavailable (nothing was decided)
   */
  resolve(id: ActionId, request: DecisionRequest, caller: Caller): Promise<ActionRecord> {
    const decided = this.ports.sessions.use(sessionOf(id), async (session) => {
      const { state } = session.journal;
      if (state.project !== caller.project) throw notFound('the action');
      const open = openAction(state, caller.project, id);
      if (open === null) return this.repeated(session, id, request, caller);
      await this.check(session, open, request, caller);
      const verdict = await this.verdictOf(session, open, request);
      const isDecided = await this.decide(session, open, request, verdict, caller);
      // The tables may not know it yet.
      const { asked } = open.action;
      return isDecided
        ? this.read(session, id, caller.project, asked)
        : this.repeated(session, id, request, caller, asked);
    });
    return asAction(decided);
  }

  /** Returns whether it was open until then. @throws Problem conflict */
  private async decide(
    session: Session,
    { action: { id }, run: { run } }: Opened,
    { decision, mcpServers }: DecisionRequest,
    verdict: Verdict,
    { project, actor }: Caller,
  ): Promise<boolean> {
    const { contents, toolboxes, clock } = this.ports;
    const content = await contents.store(session.id, verdict.content);
    const result = await contents.store(session.id, verdict.result);
    const wereKnown = toolboxes.knows(run);
    // Before anybody goes on with the run; nowhere but in memory.
    if (mcpServers !== undefined) toolboxes.remember(run, mcpServers);
    let isTaken = false;
    try {
      const decide = (state: SessionState) => {
        const given = { action: id, decision, actor, content, result, now: clock.now() };
        const ruling = decideAction(state, project, given);
        return { events: 'events' in ruling ? ruling.events : [], value: ruling.kind };
      };
      const kind = await session.journal.command({ schemaVersion: 1, project, actor, run }, decide);
      if (kind === 'expired') throw conflict('its time is over');
      if (kind === 'ending') throw conflict('its run is being cancelled');
      isTaken = kind === 'decided';
      return isTaken;
    } finally {
      if (mcpServers !== undefined && !isTaken && !wereKnown) toolboxes.forget(run);
    }
  }

  /** Whether the decision may be made. @throws Problem unprocessable, forbidden */
  async check(
    session: Session,
    { action, run }: Opened,
    { decision, mcpServers, result, budget }: DecisionRequest,
    { actor }: Caller,
  ): Promise<void> {
    const { kind } = action;
    if (!fitsKind(decision, kind))
      throw new Problem(
        'unprocessable',
        `decision: an action of kind ${kind} cannot be decided with ${decision}`,
      );
    if (decision === 'supply') {
      const asked = await this.askedOf<{ servers: readonly string[] }>(session, action);
      requireServers(asked.servers, mcpServers ?? []);
    }
    if (decision === 'answer') return this.checkAnswer(session, action, result);
    if (decision === 'raise') await this.checkRaise(session, action, budget);
    if (decision !== 'approve' && decision !== 'raise') return;
    const { log, contents } = this.ports;
    const stream = sessionStream(session.id);
    const request = await readRequest(log, stream, run.requested);
    const { approvals } = await contents.object(session.id, request.data.config);
    if (approvals?.by !== 'another_key') return;
    if (run.actors.includes(actor) || (await retriedActors(log, stream, request)).has(actor))
      throw new Problem('forbidden', 'a key that started or steered the run may not release its calls');
  }

  /** @throws Problem unprocessable */
  private async checkRaise(session: Session, action: OpenAction, budget = '0'): Promise<void> {
    const { spent, of } = await this.askedOf<{ spent: string; of?: string }>(session, action);
    if (of !== undefined)
      throw new Problem(
        'unprocessable',
        `decision: this is the budget ${of}: change it with PUT /budgets/${of}`,
      );
    if (parseDollars(budget) <= parseDollars(spent))
      refuse('budget', [`must be more than what is spent: ${spent}`]);
  }

  /** @throws Problem invalid_request, unprocessable with what the schema of a tool server does not take */
  private async checkAnswer(
    session: Session,
    action: OpenAction,
    result: DecisionRequest['result'],
  ): Promise<void> {
    if (action.kind !== 'input') return requireResult(result);
    const { schema } = await this.askedOf<{ schema?: object }>(session, action);
    if (schema === undefined) {
      if (result === undefined) return;
      throw new Problem('unprocessable', 'result: what is done at an address has none');
    }
    requireResult(result);
    if (typeof result.value !== 'object' || result.value === null || Array.isArray(result.value))
      return refuse('result', ['must be an object']);
    const project = session.journal.state.project ?? '';
    const faults = await faultsOfArguments(this.ports.schemas, { parameters: schema }, result.value, project);
    refuse('result', faults);
  }

  /** A decision as events hold it. */
  async verdictOf(session: Session, { action, run }: Opened, request: DecisionRequest): Promise<Verdict> {
    const { input, reason, budget } = request;
    const said = { ...(reason === undefined ? {} : { reason }), ...(budget === undefined ? {} : { budget }) };
    const asked = input && (await this.askedOf<{ tool: string; input: unknown }>(session, action));
    const isChanged = asked !== undefined && !isDeepStrictEqual(asked.input, input?.value);
    if (isChanged) await this.checkInput(session, action, run, asked.tool, input?.value);
    const content = JSON.stringify(isChanged ? { ...said, input: input?.value } : said);
    return { content, result: resultOf(request) };
  }

  /** @throws Problem unprocessable with what the schema that the model saw does not take */
  private async checkInput(
    session: Session,
    { asked }: OpenAction,
    { run }: CurrentRun,
    name: string,
    input: unknown,
  ): Promise<void> {
    const { log, contents, schemas } = this.ports;
    const place = { session: session.id, run, before: asked, name };
    const tool = await readOfferedTool(log, contents, place);
    if (tool === null) return;
    const project = session.journal.state.project ?? '';
    const faults = await faultsOfArguments(schemas, tool, input, project);
    refuse('input', faults);
  }

  private async askedOf<T>(session: Session, { id, asked }: OpenAction): Promise<T> {
    const record = await readAction(this.ports.log, { session: session.id, id, asked, isOpen: true });
    if (record === null) throw UNREAD;
    return JSON.parse(await this.ports.contents.text(session.id, record.asked)) as T;
  }

  /** An action that is not open any more: the same decision again is answered as the first was. @throws Problem */
  private async repeated(
    session: Session,
    id: ActionId,
    request: DecisionRequest,
    { project }: Caller,
    at?: Revision,
  ): Promise<ActionRecord> {
    const record = await this.read(session, id, project, at);
    const { resolved, overAt } = record;
    // It is not open, as far as the journal knows.
    if (resolved === null && overAt === null) throw UNREAD;
    if (resolved === null) throw conflict('its run has ended');
    if (resolved.decision === 'expired') throw conflict('its time is over');
    if (record.kind === 'tool' && request.decision === 'answer') requireResult(request.result);
    if (!(await this.isSame(session, record, request))) throw conflict('another decision was first');
    return record;
  }

  private async isSame(session: Session, record: ActionRecord, request: DecisionRequest): Promise<boolean> {
    const { contents } = this.ports;
    const { resolved } = record;
    if (resolved === null || resolved.decision !== request.decision) return false;
    const textOf = (content: typeof record.asked) => contents.text(session.id, content);
    const asked = inputOf(await textOf(record.asked));
    const { reason, input = { value: asked } } = request;
    const said = JSON.parse(await textOf(resolved.content)) as Said;
    const madeWith = 'input' in said ? said.input : asked;
    if (amountOf(said.budget) !== amountOf(request.budget)) return false;
    if (said.reason !== reason || !isDeepStrictEqual(madeWith, input.value)) return false;
    return request.result === undefined || resolved.result === null
      ? true
      : (await textOf(resolved.result)) === resultOf(request);
  }

  /** @param at where it was asked, if that is known */
  private async read(session: Session, id: ActionId, project: string, at?: Revision): Promise<ActionRecord> {
    const open = openAction(session.journal.state, project, id);
    const asked = at ?? open?.action.asked ?? (await this.index().askedAt(project, id));
    const isOpen = open !== null;
    const record =
      asked === null ? null : await readAction(this.ports.log, { session: session.id, id, asked, isOpen });
    if (record !== null) return record;
    throw open === null ? notFound('the action') : UNREAD;
  }
}

/** A read of a log that others write to lags behind what is known. */
const UNREAD = new LogUnavailable('the action cannot be read yet');

const sessionOf = (id: ActionId): string => {
  const session = sessionOfAction(id);
  if (session === null) throw notFound('the action');
  return session;
};

/** Whether there is such a session, nobody learns who asks for an action. @throws what `work` throws */
const asAction = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Problem && error.code === 'not_found' ? notFound('the action') : error;
  });

const conflict = (why: string): Problem => new Problem('conflict', `the action cannot be decided on: ${why}`);

const amountOf = (budget: string | undefined): bigint | null =>
  budget === undefined ? null : parseDollars(budget);

const inputOf = (asked: string): unknown => (JSON.parse(asked) as { readonly input?: unknown }).input;
