import type { IdempotencyKeys } from '#access';
import type { McpServerConfig } from '#agent';
import {
  type ActionId,
  type Draft,
  type GivenItem,
  MAX_STEERED,
  Problem,
  type Revision,
  type RunConfig,
  type RunId,
  type SessionId,
  type SessionState,
  decideAction,
  isAboutCall,
  notFound,
  openAction,
  runId,
} from '#domain';
import { NO_EVENTS } from '#event-log';
import type { Clock, Random } from '#platform';
import type { Caller } from '../session-commands.js';
import type { Session } from '../session.js';
import { storeItems } from '../start/store-items.js';
import type { ActionCommands, ActionPorts } from './action-commands.js';
import type { DecisionRequest } from './decision-request.js';

/** All that a run waits for is decided, with what goes with it. */
export interface JointDecision {
  readonly session: SessionId;
  readonly run: RunId;
  readonly decisions: ReadonlyMap<ActionId, DecisionRequest>;
  /** The response that the run goes on with. */
  readonly response: { readonly settings: string; readonly payload: string };
  /** What was given with it. */
  readonly items: readonly GivenItem[];
  /** The settings from there on. */
  readonly config: RunConfig;
  /** Messages for the next turn. */
  readonly messages: readonly string[];
  /** Kept in memory alone. */
  readonly mcpServers: readonly McpServerConfig[];
}

/** A response with which a run went on. */
export interface DecidedResponse {
  readonly run: RunId;
  readonly session: SessionId;
  /** From 1. */
  readonly passage: number;
}

/** What an `Idempotency-Key` was sent with. */
export interface KeyedDecision {
  readonly key: string;
  readonly payload: unknown;
}

/** What the run waits for is not what was decided: somebody else has decided, it has ended, or its time is over. */
export class DecidedMeanwhile extends Error {
  override readonly name = 'DecidedMeanwhile';
}

/** To which the keys belong: that of the request that starts runs. */
const OPERATION = 'create_response' as const;

/** Of a message that steers a run, where it stands in the event itself. */
const MAX_INLINE_CHARS = 1_000;
/** Bytes of JSON of the settings, which stand in the event. */
const MAX_CONFIG_BYTES = 96 * 1024;

/** How long a run may take from its last question until nobody drives it. */
const PARKED_MS = 2_000;
const LOOK_MS = 5;

export interface JointPorts extends Pick<ActionPorts, 'sessions' | 'contents' | 'toolboxes'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: IdempotencyKeys;
}

/** Decides on all that a run waits for in one append, in front of any result. */
export class JointDecisions {
  constructor(
    private readonly ports: JointPorts,
    private readonly actions: ActionCommands,
  ) {}

  /**
   * Returns the revision of the response's request. @throws DecidedMeanwhile; Problem not_found, forbidden, unprocessable,
   * payload_too_large, session_busy; LogUnavailable
   */
  decide(wish: JointDecision, caller: Caller): Promise<Revision> {
    return this.ports.sessions.use(wish.session, (session) => this.decideIn(session, wish, caller));
  }

  /** The response that a key stands for; null: none. @throws Problem idempotency_mismatch; LogUnavailable */
  async ofKey(keyed: KeyedDecision, { project }: Pick<Caller, 'project'>): Promise<DecidedResponse | null> {
    const { keys } = this.ports;
    const request = { operation: OPERATION, project, ...keyed };
    const use = await keys.runOf(request);
    if (use?.passage === undefined) return null;
    await keys.find(request);
    return { session: use.session, run: use.run, passage: use.passage };
  }

  /**
   * The key stands for the response from now on. Afterwards: a repeat that comes before finds what was decided, which is the
   * same. @throws Problem idempotency_mismatch; LogUnavailable
   */
  async note(keyed: KeyedDecision, response: DecidedResponse, { project, actor }: Caller): Promise<void> {
    const { keys } = this.ports;
    const request = { operation: OPERATION, project, ...keyed };
    await keys.use(request, { schemaVersion: 1, project, actor }, { ...response, after: NO_EVENTS });
  }

  private async decideIn(session: Session, wish: JointDecision, caller: Caller): Promise<Revision> {
    const { toolboxes } = this.ports;
    const { project, actor } = caller;
    const { run, mcpServers } = wish;
    if (session.journal.state.project !== project) throw notFound('the session');
    await this.parked(session, run);
    const verdicts = await this.verdictsOf(session, wish, caller);
    const more = await this.storedOf(session, wish, actor);
    const wereKnown = toolboxes.knows(run);
    if (mcpServers.length > 0) toolboxes.remember(run, mcpServers);
    let isTaken = false;
    try {
      const meta = { schemaVersion: 1, project, actor, run };
      const at = await session.journal.command(meta, (state, next) => {
        const events = this.eventsOf(state, wish, project, verdicts, more);
        return { events: events ?? [], value: events === null ? null : next };
      });
      if (at === null) throw new DecidedMeanwhile('the run waits for something else');
      isTaken = true;
      return at;
    } finally {
      if (mcpServers.length > 0 && !isTaken && !wereKnown) toolboxes.forget(run);
    }
  }

  /** Whoever drives the run to its wait is about to leave it: who claims it then begins with the settings from there on. */
  private async parked(session: Session, run: RunId): Promise<void> {
    const { clock } = this.ports;
    const until = clock.now() + PARKED_MS;
    const isDriven = (): boolean => {
      const { current } = session.journal.state;
      return current?.run === run && current.park === undefined;
    };
    while (isDriven() && clock.now() < until) {
      await clock.sleep(LOOK_MS);
      await session.refresh();
    }
  }

  private async verdictsOf(session: Session, { decisions }: JointDecision, caller: Caller) {
    const verdicts: Omit<Parameters<typeof decideAction>[2], 'now'>[] = [];
    for (const [id, request] of decisions) {
      const open = openAction(session.journal.state, caller.project, id);
      if (open === null) throw new DecidedMeanwhile('an action is not open');
      await this.actions.check(session, open, request, caller);
      const { content, result } = await this.actions.verdictOf(session, open, request);
      const { contents } = this.ports;
      verdicts.push({
        action: id,
        decision: request.decision,
        actor: caller.actor,
        content: await contents.store(session.id, content),
        result: await contents.storeBeside(session.id, result),
      });
    }
    return verdicts;
  }

  private async storedOf(session: Session, wish: JointDecision, actor: string) {
    const { contents, random } = this.ports;
    const { run, response, config, items, messages } = wish;
    if (Buffer.byteLength(JSON.stringify(config)) > MAX_CONFIG_BYTES)
      throw new Problem('payload_too_large', 'the settings of a run that goes on must fit into one event');
    const settings = await contents.storeBeside(session.id, response.settings);
    const stored = await storeItems(contents, session.id, items);
    const { payload } = response;
    const steered: Draft[] = [];
    for (const text of messages) {
      const content = text.length > MAX_INLINE_CHARS ? await contents.toFile(session.id, text) : text;
      steered.push({
        type: 'run_steered',
        data: { id: runId(session.id, random.hex(8)), content, actor },
        run,
      });
    }
    const requested: Draft = {
      type: 'response_requested',
      data: { settings, payload, config, items: stored },
      run,
    };
    return { requested, steered };
  }

  /** null: what the run waits for is not, or not all of, what was decided. */
  private eventsOf(
    state: SessionState,
    { run, decisions }: JointDecision,
    project: string,
    verdicts: readonly Omit<Parameters<typeof decideAction>[2], 'now'>[],
    { requested, steered }: { readonly requested: Draft; readonly steered: readonly Draft[] },
  ): readonly Draft[] | null {
    const { current } = state;
    const open = current?.actions.filter(({ kind, step }) => isAboutCall(kind) && step === undefined) ?? [];
    if (current?.run !== run || open.length !== decisions.size) return null;
    if (current.steered.length + steered.length > MAX_STEERED)
      throw new Problem('session_busy', `${MAX_STEERED} messages wait for this run already`);
    const now = this.ports.clock.now();
    const decided: Draft[] = [];
    for (const verdict of verdicts) {
      const ruling = decideAction(state, project, { ...verdict, now });
      if (ruling.kind !== 'decided') return null;
      decided.push(...ruling.events);
    }
    const isDecision = ({ type }: Draft): boolean => type === 'agent_action_resolved';
    const results = decided.filter((event) => !isDecision(event));
    return [requested, ...decided.filter(isDecision), ...results, ...steered];
  }
}
