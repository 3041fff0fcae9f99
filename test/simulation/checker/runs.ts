import { isEndType, isPublicType } from '#domain';
import { type SessionLog, type SessionRecord, at, erasureOf, require } from './evidence.js';

interface Telling {
  last: string;
  steps: number;
  isTurnOpen: boolean;
  /** Names of the calls of the latest turn. */
  calls: readonly string[];
  uses: number;
  responses: number;
  /** Names of the calls of workflow steps whose use is not told yet. */
  stepUses: readonly string[];
  isOver: boolean;
}

const ORDER = 'I4 a run is told in order';

/** I4: what each run says, from `agent_started` to exactly one end, in the order that clients were promised. */
export function checkRuns(session: SessionLog): void {
  const { events } = session;
  const runs = new Map<string, Telling>();
  for (const [i, event] of events.entries()) {
    const run = event.meta.run ?? '';
    if (event.type === 'run_requested') runs.set(run, fresh());
    const telling = runs.get(run);
    // The next event says so where a response is that of a call which a workflow step made.
    const isOfStep =
      event.type === 'agent_tool_response' && events[i + 1]?.type === 'workflow_tool_responded';
    if (telling) tell(telling, event, isOfStep);
  }
  // Which is the end of those that have none.
  if (erasureOf(session) !== null) return;
  for (const [run, telling] of runs) require(telling.isOver, 'I8 every run ends', () => `${run} has no end`);
}

const fresh = (): Telling => ({
  last: '',
  steps: 0,
  isTurnOpen: false,
  calls: [],
  uses: 0,
  responses: 0,
  stepUses: [],
  isOver: false,
});

function tell(telling: Telling, event: SessionRecord, isOfStep: boolean): void {
  const wrong = (why: string) => () => `${at(event)}: ${why}, after ${telling.last}`;
  if (event.type === 'model_turn_completed' && event.data.step !== undefined) {
    require(telling.isTurnOpen && telling.stepUses.length === 0, ORDER, wrong('no workflow is under way'));
    telling.stepUses = (event.data.tool_calls ?? []).map((call) => call.name);
  } else if (event.type === 'model_turn_completed') {
    require(!telling.isTurnOpen, ORDER, wrong('the turn before is open'));
    telling.isTurnOpen = true;
    telling.calls = (event.data.tool_calls ?? []).map((call) => call.name);
    telling.uses = 0;
    telling.responses = 0;
  }
  if (!isPublicType(event.type)) return;
  require(!telling.isOver, 'I4 one end', wrong('the run has ended'));
  require((telling.last === '') === (event.type === 'agent_started'), ORDER, wrong('not at the beginning'));
  if (!isOfStep) checkPlace(telling, event, wrong);
  telling.isOver = isEndType(event.type);
  telling.last = event.type;
}

function checkPlace(telling: Telling, event: SessionRecord, wrong: (why: string) => () => string): void {
  const { last } = telling;
  const isAfter = (...types: string[]) =>
    require(types.includes(last), ORDER, wrong(`not after ${types.join(' or ')}`));
  require(last !== 'agent_tool_use_start' || event.type === 'agent_tool_use', ORDER, wrong(
    'a tool use was begun',
  ));
  require(last !== 'agent_cost' || isEndType(event.type), ORDER, wrong('the cost comes just before the end'));
  switch (event.type) {
    case 'agent_response':
      return isAfter('agent_response_start', 'agent_response');
    case 'agent_thinking':
      return isAfter('agent_thinking_start', 'agent_thinking');
    case 'agent_tool_use':
      isAfter('agent_tool_use_start');
      if (telling.stepUses.length > 0) {
        const [name, ...rest] = telling.stepUses;
        telling.stepUses = rest;
        return checkNamed(event, name, wrong);
      }
      return checkNamed(event, telling.calls[telling.uses++], wrong);
    case 'agent_tool_response':
      return checkNamed(event, telling.calls[telling.responses++], wrong);
    case 'agent_compacted':
      require(!telling.isTurnOpen, 'C7 a context is compacted between turns', wrong('a turn is open'));
      return;
    case 'agent_step':
      require(telling.isTurnOpen, ORDER, wrong('no turn is complete'));
      require(telling.uses === telling.calls.length, ORDER, wrong('a tool use is missing'));
      require(telling.responses === telling.calls.length, ORDER, wrong('a tool response is missing'));
      require(event.data.step === String(++telling.steps), ORDER, wrong(`step ${event.data.step}`));
      telling.isTurnOpen = false;
      return;
    case 'agent_completed':
      require(telling.steps > 0 && !telling.isTurnOpen, ORDER, wrong('nothing is complete'));
      return isAfter('agent_cost');
    case 'agent_error':
    case 'agent_cancelled':
      return isAfter('agent_cost');
    default:
      return;
  }
}

function checkNamed(
  event: SessionRecord,
  name: string | undefined,
  wrong: (why: string) => () => string,
): void {
  require(name !== undefined, ORDER, wrong('there is no such call'));
  const content = 'content' in event.data ? event.data.content : '';
  // What lies in a file is looked at where the clients' bytes are compared.
  if (typeof content !== 'string') return;
  const { tool } = JSON.parse(content) as { tool: string };
  require(tool === name, ORDER, wrong(`${tool} instead of ${name}`));
}
