import { type Content, OUTCOME_UNKNOWN } from '#domain';
import type { Ask } from '../world/ledger.js';
import { resultOf } from '../world/script.js';
import { SECRET_OF_SERVERS } from '../world/sim-servers.js';
import { ONCE } from '../world/sim-tools.js';
import { type Evidence, type SessionLog, type SessionRecord, at, require } from './evidence.js';

interface Intent {
  readonly event: SessionRecord;
  readonly tool: string;
  readonly key: string;
  readonly epoch: number;
  /** Whether somebody has to release it, and the position of the release. */
  readonly isAsked: boolean;
  released: number | null;
  result: { readonly content: Content; readonly epoch: number; readonly position: number } | null;
}

interface RunFacts {
  readonly session: string;
  /** Whoever asked for it. */
  readonly actor: string;
  readonly claims: { readonly epoch: number; readonly worker: string; readonly position: number }[];
  /** Of the main agent. */
  readonly turns: { readonly epoch: number; readonly position: number }[];
  /** Turns of each attempt of a workflow step. */
  readonly stepTurns: Map<string, number>;
  readonly intents: Map<string, Intent>;
  /** Of the latest turn, those about which nobody was asked yet. */
  asking: Intent[];
  readonly actions: Map<string, Intent>;
}

/** Equal prompts make equal keys, so a key may be that of several calls. */
type Intents = ReadonlyMap<string, readonly { readonly intent: Intent; readonly facts: RunFacts }[]>;
/** The firings of a task have one message. */
type FactsByMessage = ReadonlyMap<string, readonly RunFacts[]>;

/**
 * I5: a tool is called when the log holds the intent, never before, and once for each intent; where that cannot be known
 * the agent is told so. A turn that is recorded is not asked again.
 */
export function checkTools(sessions: readonly SessionLog[], evidence: Evidence): void {
  const byMessage = new Map<string, RunFacts[]>();
  const intents = new Map<string, { intent: Intent; facts: RunFacts }[]>();
  for (const session of sessions) {
    for (const { message, facts } of factsOf(session)) {
      listIn(byMessage, message).push(facts);
      for (const intent of facts.intents.values())
        if (intent.key !== '') listIn(intents, intent.key).push({ intent, facts });
    }
  }
  checkEffects(intents, evidence);
  for (const { intent } of [...intents.values()].flat()) checkResult(intent, evidence);
  checkAsks(byMessage, evidence);
}

function listIn<T>(lists: Map<string, T[]>, key: string): T[] {
  const known = lists.get(key);
  if (known !== undefined) return known;
  const made: T[] = [];
  lists.set(key, made);
  return made;
}

function factsOf(session: SessionLog): Iterable<{ message: string; facts: RunFacts }> {
  const byRun = new Map<string, { message: string; facts: RunFacts }>();
  for (const event of session.events) {
    const { run = '', actor } = event.meta;
    if (event.type === 'run_requested') {
      const message = typeof event.data.message === 'string' ? event.data.message : '';
      const none = {
        claims: [],
        turns: [],
        stepTurns: new Map(),
        intents: new Map(),
        asking: [],
        actions: new Map(),
      };
      byRun.set(run, { message, facts: { session: session.id, actor, ...none } });
    }
    const found = byRun.get(run);
    if (found) take(found.facts, event);
  }
  return byRun.values();
}

function take(facts: RunFacts, event: SessionRecord): void {
  const { position } = event;
  const epoch = facts.claims.at(-1)?.epoch ?? 0;
  if (event.type === 'run_claimed') {
    facts.claims.push({ epoch: event.data.epoch, worker: event.data.worker, position });
  } else if (event.type === 'model_turn_completed') {
    const { step, attempt = 0 } = event.data;
    const place = step && `${step.call_id}/${step.step_id}/${attempt}`;
    if (place === undefined) facts.turns.push({ epoch, position });
    else facts.stepTurns.set(place, (facts.stepTurns.get(place) ?? 0) + 1);
    for (const call of event.data.tool_calls ?? []) {
      const id = idOf(facts, place, call.id);
      const isAsked = call.needs !== undefined;
      const key = keyOf(call.arguments);
      const intent = { event, tool: call.name, key, epoch, isAsked, released: null, result: null };
      facts.intents.set(id, intent);
      if (isAsked) facts.asking.push(intent);
    }
  } else if (event.type === 'agent_action_required') {
    const intent = facts.asking.shift();
    if (intent) facts.actions.set(event.data.action_id, intent);
  } else if (event.type === 'agent_action_resolved' && event.data.decision === 'approve') {
    const intent = facts.actions.get(event.data.action_id);
    if (intent) intent.released = position;
  } else if (event.type === 'tool_call_completed') {
    const { step, call_id } = event.data;
    const place = step && `${step.call_id}/${step.step_id}/${step.attempt}`;
    const intent = facts.intents.get(idOf(facts, place, call_id));
    require(intent !== undefined, 'I5 a result has its call', () => at(event));
    require(intent.result === null, 'I5 one result a call', () => at(event));
    intent.result = { content: event.data.content, epoch, position };
  }
}

const idOf = ({ turns, stepTurns }: RunFacts, place: string | undefined, call: string): string =>
  `${turns.length}/${place === undefined ? '' : `${place}/${stepTurns.get(place)}/`}${call}`;

function keyOf(text: string): string {
  try {
    return (JSON.parse(text) as { key?: string }).key ?? '';
  } catch {
    return '';
  }
}

function checkEffects(intents: Intents, { ledger, marks }: Evidence): void {
  const calls = new Map<string, number>();
  for (const { key, tool, at: position, worker, token } of ledger.effects) {
    const found = (intents.get(key) ?? []).filter(({ intent }) => intent.event.position <= position);
    require(found.length > 0, 'I5 the intent comes first', () =>
      `${worker} called ${tool} with ${key}, which was not on the log`);
    const isReleased = found.some(({ intent: i }) => !i.isAsked || (i.released ?? Infinity) <= position);
    require(isReleased, 'I15 nothing is made before it is released', () =>
      `${worker} called ${tool} with ${key}`);
    const times = (calls.get(key) ?? 0) + 1;
    calls.set(key, times);
    // Who has lost the run and does not know it yet may find the winner's call open, and make it, too.
    const chances = found.reduce((sum, { facts }) => sum + facts.claims.length, 0);
    const most = ONCE.has(tool) ? found.length : chances;
    if (times > 1) marks.hit('repeatable call repeated');
    require(times <= most, 'I5 a tool is called once', () =>
      `${tool} with ${key}: ${times} times, last by ${worker}`);
    const isHis = token === null || found.some(({ facts }) => token === SECRET_OF_SERVERS + facts.actor);
    require(isHis, "I12 a caller's server is called for that caller", () => `${tool} with ${key}: ${token}`);
  }
}

function checkResult({ event, tool, key, epoch, result }: Intent, evidence: Evidence): void {
  if (result === null) return;
  const { content } = result;
  const session = event.stream.slice('session-'.length);
  const text = typeof content === 'string' ? content : evidence.textOf(session, content.$file);
  if (text === OUTCOME_UNKNOWN) {
    evidence.marks.hit('outcome unknown');
    require(result.epoch > epoch, 'I5 an outcome is unknown after a take-over only', () =>
      `${at(event)}, ${key}`);
    return;
  }
  if (
    text.startsWith('the tool failed: ') ||
    text.startsWith('there is no tool') ||
    text.startsWith('the call was not made')
  )
    return;
  require(text === resultOf(tool, key), 'I5 a result is what the tool said', () =>
    `${at(event)}, ${key}: ${text.slice(0, 80)}`);
  const wasCalled = evidence.ledger.effects.some(
    (effect) => effect.key === key && effect.at < result.position,
  );
  require(wasCalled, 'I5 a result is what the tool said', () => `${at(event)}, ${key}: it was never called`);
}

function checkAsks(byMessage: FactsByMessage, { ledger, nameOf }: Evidence): void {
  for (const ask of ledger.asks) {
    if (ask.step !== null) continue;
    const runs = byMessage.get(ask.message) ?? [];
    // A run whose request was never stored is never driven.
    require(runs.length > 0, 'I5 only recorded runs are driven', () => `${ask.worker} asked ${ask.message}`);
    const isFirst = runs.some((facts) => mayAsk(ask, facts, nameOf));
    require(isFirst, 'I5 recorded turns are never asked again', () =>
      `${ask.worker} asked for turn ${ask.turn} of ${ask.message} at ${ask.at}`);
  }
}

function mayAsk(ask: Ask, facts: RunFacts, nameOf: (worker: string) => string): boolean {
  const claims = facts.claims.filter(
    (claim) => nameOf(claim.worker) === ask.worker && claim.position <= ask.at,
  );
  return claims.some(({ epoch }) => {
    const recorded = facts.turns.filter((turn) => turn.epoch <= epoch && turn.position <= ask.at);
    return recorded.length <= ask.turn;
  });
}
