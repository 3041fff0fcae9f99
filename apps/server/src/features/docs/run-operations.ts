import { eventsQuery, pageQuery, runsQuery, tasksQuery } from '../../edge/validation/queries.js';
import { component, pageOf } from '../../edge/openapi/json-schema.js';
import { EVENTS, JSON_TYPE, type Operation, SSE_TYPE, answer } from '../../edge/openapi/operation.js';

const RECORDED = {
  [SSE_TYPE]: EVENTS,
  [JSON_TYPE]: pageOf(component('RecordedEvent')),
};

const FROM_ANY_POINT =
  'Server-Sent Events from after `Last-Event-ID` or `after`, then live; with `Accept: application/json` a page of the ' +
  'recorded ones.';

/** Of one task, which they answer with. */
const command = (id: string, summary: string): Operation => ({
  id,
  tag: 'tasks',
  summary,
  answers: answer(200, component('Task')),
});

/** Runs, their deliveries, sessions and tasks. */
export const RUN_OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET /runs': {
    id: 'listRuns',
    tag: 'runs',
    summary: 'Runs, newest first',
    query: runsQuery,
    answers: answer(200, pageOf(component('Run'))),
  },
  'GET /runs/{run_id}': {
    id: 'getRun',
    tag: 'runs',
    summary: 'One run',
    answers: answer(200, component('Run')),
  },
  'GET /runs/{run_id}/events': {
    id: 'followRun',
    tag: 'runs',
    summary: "A run's events",
    description: `${FROM_ANY_POINT} 204: the run has ended and nothing is left to send.`,
    query: eventsQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: RECORDED, 204: null },
  },
  'POST /runs/{run_id}/cancel': {
    id: 'cancelRun',
    tag: 'runs',
    summary: 'Cancels a run; nothing happens where it has ended',
    answers: answer(202, component('Run')),
  },
  'GET /runs/{run_id}/deliveries': {
    id: 'listDeliveries',
    tag: 'runs',
    summary: "What became of a run's callback, event by event",
    query: pageQuery,
    answers: answer(200, pageOf(component('Delivery'))),
  },
  'POST /runs/{run_id}/deliveries/{delivery_id}/resend': {
    id: 'resendDelivery',
    tag: 'runs',
    summary: 'Sends a delivery again',
    answers: answer(202, component('Delivery')),
    refusals: [409, 422],
  },
  'GET /sessions': {
    id: 'listSessions',
    tag: 'sessions',
    summary: 'Sessions, newest first',
    query: pageQuery,
    answers: answer(200, pageOf(component('Session'))),
  },
  'GET /sessions/{session}': {
    id: 'getSession',
    tag: 'sessions',
    summary: 'One session',
    answers: answer(200, component('Session')),
  },
  'DELETE /sessions/{session}': {
    id: 'eraseSession',
    tag: 'sessions',
    summary: 'Erases a session for good',
    description:
      'Its runs and tasks end, and what was said in it can be read by nobody any more. `not_reached` says where copies ' +
      'may be that the service does not hold. Afterwards everything of the session answers 404.',
    answers: answer(200, component('ErasedSession')),
  },
  'GET /sessions/{session}/events': {
    id: 'followSession',
    tag: 'sessions',
    summary: "The events of all of a session's runs",
    description: FROM_ANY_POINT,
    query: eventsQuery,
    headers: ['Last-Event-ID'],
    answers: { 200: RECORDED },
  },
  'GET /tasks': {
    id: 'listTasks',
    tag: 'tasks',
    summary: 'What is scheduled, newest first',
    query: tasksQuery,
    answers: answer(200, pageOf(component('Task'))),
  },
  'GET /tasks/{task_id}': command('getTask', 'One task'),
  'POST /tasks/{task_id}/pause': command('pauseTask', 'Lets no slot fire until it is resumed'),
  'POST /tasks/{task_id}/resume': command('resumeTask', 'Goes on with the next slot'),
  'POST /tasks/{task_id}/cancel': command('cancelTask', 'Ends a task for good'),
  'DELETE /tasks/{task_id}': command('deleteTask', 'Ends a task for good'),
};
