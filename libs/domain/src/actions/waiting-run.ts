import type { RecordedSessionEvent } from '../session-events.js';
import {
  type CallPlace,
  type OpenAction,
  type SteeringMessage,
  type TaskPlace,
  isAboutCall,
  keyOfPlace,
} from './action.js';

/** What a session's state holds of its current run because of those who decide on it or write to it. */
export interface Waiting {
  /**
   * `parked`: nobody drives it, until somebody decides; `woken`: somebody has decided, and it can be claimed; absent: whoever
   * claimed it drives it.
   */
  readonly park?: 'parked' | 'woken';
  /** Nobody has decided on these yet. */
  readonly actions: readonly OpenAction[];
  /** Decisions since the latest claim. */
  readonly decisions: number;
  /** Messages that the model was not given yet. */
  readonly steered: readonly SteeringMessage[];
  /** Ids of the keys that started or steered it. */
  readonly actors: readonly string[];
  /** Calls of the latest turn that need somebody, of whom nobody was asked yet. */
  readonly asking: readonly CallPlace[];
  /** Calls that tool servers go on with by themselves. */
  readonly tasks: readonly TaskPlace[];
}

type Of<T extends RecordedSessionEvent['type']> = Extract<RecordedSessionEvent, { type: T }>;

/** As a claim says it. */
export function waitingAtClaim({ data, meta }: Of<'run_claimed'>): Waiting {
  const { actions = [], steered = [], steerers = [], tasks = [] } = data;
  return { actions, decisions: 0, steered, actors: [meta.actor, ...steerers], asking: [], tasks };
}

export const NOT_WAITING: Waiting = {
  actions: [],
  decisions: 0,
  steered: [],
  actors: [],
  asking: [],
  tasks: [],
};

/** What a claim has to say, so that a session's state can be read from its last claim on. */
export function carriedOn({ actions, steered, actors, tasks }: Waiting): Partial<Of<'run_claimed'>['data']> {
  const steerers = actors.slice(1);
  return {
    ...(actions.length > 0 ? { actions } : {}),
    ...(steered.length > 0 ? { steered } : {}),
    ...(steerers.length > 0 ? { steerers } : {}),
    ...(tasks.length > 0 ? { tasks } : {}),
  };
}

/** The calls of a turn that need somebody. */
export function askedBy({ data }: Of<'model_turn_completed'>): Waiting['asking'] {
  const { tool_calls: calls = [], step, attempt = 0 } = data;
  const ref = step === undefined ? {} : { step: { ...step, attempt } };
  return calls.filter(({ needs }) => needs !== undefined).map(({ id }) => ({ call_id: id, ...ref }));
}

/** The calls that somebody is asked about anew. */
export const reopenedBy = ({ data: { call_ids, step } }: Of<'tool_calls_reopened'>): Waiting['asking'] =>
  call_ids.map((call_id) => ({ call_id, ...(step === undefined ? {} : { step }) }));

export function ask(waiting: Waiting, { data, revision }: Of<'agent_action_required'>): Partial<Waiting> {
  const { action_id: id, kind, expires_at } = data;
  const isOfCall = isAboutCall(kind);
  const [call, ...others] = waiting.asking;
  const action: OpenAction = {
    id,
    kind,
    asked: revision,
    expires_at: Date.parse(expires_at),
    ...(isOfCall ? call : {}),
  };
  return { actions: [...waiting.actions, action], asking: isOfCall ? others : waiting.asking };
}

export function resolve(waiting: Waiting, { data }: Of<'agent_action_resolved'>): Partial<Waiting> {
  const actions = waiting.actions.filter(({ id }) => id !== data.action_id);
  const isAsking = actions.some(({ kind }) => kind === 'input');
  return {
    actions,
    decisions: waiting.decisions + 1,
    tasks: isAsking ? waiting.tasks : waiting.tasks.map(goingOn),
    ...(waiting.park === 'parked' ? { park: 'woken' } : {}),
  };
}

export function steer(waiting: Waiting, { data }: Of<'run_steered'>): Partial<Waiting> {
  const { steered, actors } = waiting;
  return {
    steered: [...steered, data],
    actors: actors.includes(data.actor) ? actors : [...actors, data.actor],
  };
}

/** A server goes on with a call by itself. */
export function startTask({ tasks }: Waiting, { data }: Of<'tool_task_started'>): Partial<Waiting> {
  const { call_id, step } = data;
  return { tasks: [...tasks, { call_id, ...(step === undefined ? {} : { step }) }] };
}

/** A call has its result. */
export function endTask({ tasks }: Waiting, { data }: Of<'tool_call_completed'>): Partial<Waiting> {
  return { tasks: tasks.filter((task) => !isSamePlace(task, data)) };
}

/** The server wants to know more before it goes on. */
export const suspendTask = ({ tasks }: Waiting, { data }: Of<'tool_input_required'>): Partial<Waiting> => ({
  tasks: tasks.map((task) => (isSamePlace(task, data) ? { ...task, isAsking: true } : task)),
});

const goingOn = ({ call_id, step }: TaskPlace): TaskPlace => ({
  call_id,
  ...(step === undefined ? {} : { step }),
});

const isSamePlace = (a: CallPlace, b: CallPlace): boolean => keyOfPlace(a) === keyOfPlace(b);

export const takeIn = ({ steered }: Waiting): Partial<Waiting> => ({ steered: steered.slice(1) });
