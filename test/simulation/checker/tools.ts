import { type Content, OUTCOME_UNKNOWN } from '#domain';
import type { Ask } from '../world/ledger.js';
import { resultOf } from '../world/script.js';
import { ONCE } from '../world/sim-tools.js';
import { type Evidence, type SessionLog, type SessionRecord, at, require } from './evidence.js';

interface Intent {
  readonly event: SessionRecord;
  readonly tool: string;
  readonly key: string;
  readonly epoch: number;
  result: { readonly content: Content; readonly epoch: number; readonly position: number } | null;
}

interface RunFacts {
  readonly session: string;
  readonly claims: { readonly epoch: number; readonly worker: string; readonly position: number }[];
  readonly turns: { readonly epoch: number; readonly position: number }[];
  readonly intents: Map<string, Intent>;
}

/**
 * I5: a tool is called when the log holds the intent, never before, and once for each intent; where that cannot be known
 * the agent is told so. A turn that is recorded is not asked again.
 */
export function checkTools(sessions: readonly SessionLog[], evidence: Evidence): void {
  const byMessage = new Map<string, RunFacts>();
  const intents = new Map<string, { intent: Intent; facts: RunFacts }>();
  for (const session of sessions) {
    for (const [message, facts] of factsOf(session)) {
      byMessage.set(message, facts);
      for (const intent of facts.intents.values())
        if (intent.key !== '') intents.set(intent.key, { intent, facts });
    }
  }
  checkEffects(intents, evidence);
  for (const { intent } of intents.values()) checkResult(intent, evidence);
  checkAsks(byMessage, evidence);
}

function factsOf(session: SessionLog): Map<string, RunFacts> {
  const byRun = new Map<string, RunFacts>();
  const byMessage = new Map<string, RunFacts>();
  for (const event of session.events) {
    const run = event.meta.run ?? '';
    if (event.type === 'run_requested') {
      const facts: RunFacts = { session: session.id, claims: [], turns: [], intents: new Map() };
      byRun.set(run, facts);
      if (typeof event.data.message === 'string') byMessage.set(event.data.message, facts);
    }
    const facts = byRun.get(run);
    if (facts) take(facts, event);
  }
  return byMessage;
}

function take(facts: RunFacts, event: SessionRecord): void {
  const { position } = event;
  const epoch = facts.claims.at(-1)?.epoch ?? 0;
  if (event.type === 'run_claimed') {
    facts.claims.push({ epoch: event.data.epoch, worker: event.data.worker, position });
  } else if (event.type === 'model_turn_completed') {
    facts.turns.push({ epoch, position });
    for (const call of event.data.tool_calls ?? []) {
      const id = `${facts.turns.length}/${call.id}`;
      facts.intents.set(id, { event, tool: call.name, key: keyOf(call.arguments), epoch, result: null });
    }
  } else if (event.type === 'tool_call_completed') {
    const intent = facts.intents.get(`${facts.turns.length}/${event.data.call_id}`);
    require(intent !== undefined, 'I5 a result has its call', () => at(event));
    require(intent.result === null, 'I5 one result a call', () => at(event));
    intent.result = { content: event.data.content, epoch, position };
  }
}

function keyOf(text: string): string {
  try {
    return (JSON.parse(text) as { key: string }).key;
  } catch {
    return '';
  }
}

function checkEffects(
  intents: ReadonlyMap<string, { intent: Intent; facts: RunFacts }>,
  { ledger, marks }: Evidence,
): void {
  const calls = new Map<string, number>();
  for (const { key, tool, at: position, worker } of ledger.effects) {
    const found = intents.get(key);
    require(found !== undefined && found.intent.event.position <= position, 'I5 the intent comes first', () =>
      `${worker} called ${tool} with ${key}, which was not on the log`);
    const times = (calls.get(key) ?? 0) + 1;
    calls.set(key, times);
    const { facts } = found;
    // Who has lost the run and does not know it yet may find the winner's call open, and make it, too.
    const chances = facts.claims.length;
    const most = ONCE.has(tool) ? 1 : chances;
    if (times > 1) marks.hit('repeatable call repeated');
    require(times <= most, 'I5 a tool is called once', () =>
      `${tool} with ${key}: ${times} times, last by ${worker}`);
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
  if (text.startsWith('the tool failed: ') || text.startsWith('there is no tool')) return;
  require(text === resultOf(tool, key), 'I5 a result is what the tool said', () =>
    `${at(event)}, ${key}: ${text.slice(0, 80)}`);
  const wasCalled = evidence.ledger.effects.some(
    (effect) => effect.key === key && effect.at < result.position,
  );
  require(wasCalled, 'I5 a result is what the tool said', () => `${at(event)}, ${key}: it was never called`);
}

function checkAsks(byMessage: ReadonlyMap<string, RunFacts>, { ledger, nameOf }: Evidence): void {
  for (const ask of ledger.asks) {
    if (ask.isCut) continue;
    const facts = byMessage.get(ask.message);
    // A run whose request was never stored is never driven.
    require(facts !== undefined, 'I5 only recorded runs are driven', () =>
      `${ask.worker} asked ${ask.message}`);
    const claims = facts.claims.filter(
      (claim) => nameOf(claim.worker) === ask.worker && claim.position <= ask.at,
    );
    const isFirst = claims.some(({ epoch }) => {
      const recorded = facts.turns.filter((turn) => turn.epoch <= epoch && turn.position <= ask.at);
      return recorded.length <= ask.turn;
    });
    require(isFirst ||
      (claims.length === 0 &&
        hasLost(ask, facts.session, byMessage, nameOf)), 'I5 recorded turns are never asked again', () =>
      `${ask.worker} asked for turn ${ask.turn} of ${ask.message} at ${ask.at}`);
  }
}

/**
 * Whether the worker had lost a run of the session before it asked. Until it hears of that it may put together a context
 * of what the winner wrote since; nothing that comes of it is stored.
 */
function hasLost(
  ask: Ask,
  session: string,
  byMessage: ReadonlyMap<string, RunFacts>,
  nameOf: (worker: string) => string,
): boolean {
  for (const { session: other, claims } of byMessage.values()) {
    if (other !== session) continue;
    const lost = claims.some(({ worker }, i) => {
      const next = claims[i + 1];
      return nameOf(worker) === ask.worker && next !== undefined && next.position <= ask.at;
    });
    if (lost) return true;
  }
  return false;
}
