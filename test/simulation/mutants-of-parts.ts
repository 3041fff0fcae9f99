import { OF_COMPACTIONS } from './mutants-of-compactions.js';
import { OF_ACTIONS } from './mutants-of-actions.js';
import { OF_FORKS } from './mutants-of-forks.js';
import { OF_SEALS } from './mutants-of-seals.js';
import type { Mutant } from './mutants.js';

const WORKFLOW_TOOL = 'libs/agent/src/workflow/workflow-tool.ts';
const RUNNER = 'libs/agent/src/workflow/workflow-runner.ts';
const FIRINGS = 'libs/runs/src/tasks/task-firings.ts';
const ATTEMPT = 'libs/delivery/src/callbacks/callback-attempt.ts';

/** Mistakes in workflows and in what is done with tool servers. */
const OF_FLOWS: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'workflow-starts-over',
    story: 'a workflow that is taken over begins again instead of going on from the log',
    file: WORKFLOW_TOOL,
    symbol: 'WorkflowTool.call',
    find: 'workflows.of(call.id)',
    replace: 'undefined',
  },
  {
    name: 'attempt-forgotten',
    story: 'an attempt that is taken over asks again for turns that are on the log',
    file: 'libs/agent/src/workflow/step-attempts.ts',
    symbol: 'StepAttempt.constructor',
    find: 'record.workflows.transcriptOf(request.ref)',
    replace: 'undefined',
  },
  {
    name: 'step-before-log',
    story: 'a step begins before the log has what it begins because of',
    file: WORKFLOW_TOOL,
    symbol: 'WorkflowTool.workflowPorts',
    find: 'return record.settled();',
    replace: `record.settled().catch(() => undefined);
        return Promise.resolve();`,
  },
  {
    name: 'retry-at-once',
    story: 'a step is tried again before its time',
    file: RUNNER,
    symbol: 'WorkflowRunner.advance',
    find: 'nextSteps(this.state, clock.now(), bound)',
    replace: 'nextSteps(this.state, clock.now() + 60_000, bound)',
  },
  {
    name: 'lost-servers-unnoticed',
    story: 'a run goes on without the tool servers that were lost with another process',
    file: 'libs/runs/src/run-toolboxes.ts',
    symbol: 'RunToolboxes.openWith',
    find: 'names.length > 0',
    replace: 'names.length > 1',
  },
  {
    name: 'servers-forgotten',
    story: 'the first of two requests with one key, refused, forgets the tool servers of both',
    file: 'libs/runs/src/start/accept-run.ts',
    symbol: 'RunAcceptance.accept',
    find: 'isLast && !knowsUnended(session, place.run)',
    replace: '!knowsUnended(session, place.run)',
  },
  {
    name: 'open-call-untold',
    story: 'a run that has lost its servers ends without a word of the calls that its steps had open',
    file: 'libs/agent/src/run/driver.ts',
    symbol: 'Driver.endWithoutTools',
    find: 'await this.tools.giveUp();',
    replace: '',
  },
];

const OF_TASKS: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'slot-unguarded',
    story: 'a slot is taken whatever another has written',
    file: FIRINGS,
    symbol: 'TaskFirings.write',
    find: '{ expected }',
    replace: "{ expected: expected < 0 ? expected : 'any' }",
  },
  {
    name: 'planned-before-fired',
    story: 'the next slot is planned before the one that is due fires',
    file: FIRINGS,
    symbol: 'TaskFirings.fireOnce',
    find: 'const after = await this.write(state, decision.events);',
    replace: `const next = decision.events.find(({ data }) => 'next_at' in data)?.data.next_at ?? null;
      const plan = [{ type: 'task_resumed', data: { next_at: next } }];
      const planned = next === null ? state : await this.write(state, plan);
      if (planned === null) return null;
      const after = await this.write(planned, decision.events);`,
  },
  {
    name: 'firing-not-mended',
    story: 'a slot that was taken by a process that died has no run',
    file: FIRINGS,
    symbol: 'TaskFirings.isBusy',
    find: "(await this.start(state, last.run, signal)) === 'deadly' ? 'deadly' : true",
    replace: 'false',
  },
  {
    name: 'firing-overtaken',
    story: 'a firing whose run is started by another at that moment counts as over',
    file: FIRINGS,
    symbol: 'TaskFirings.lookAt',
    find: `    if (session.journal.revision < requested) throw new LogUnavailable('the session is being written to');
    return isUnended(session, run) ? 'busy' : 'ended';`,
    replace: "    return requested < 0 ? 'busy' : 'ended';",
  },
  {
    name: 'missed-unrecorded',
    story: 'a slot that was missed is recorded only where another was missed with it',
    file: 'libs/domain/src/tasks/task-state.ts',
    symbol: 'decideDue',
    find: 'earlier.length > 0',
    replace: 'earlier.length > 1',
  },
  {
    name: 'tasks-not-made',
    story: 'the tasks of a request whose process died before it made them are never made',
    file: 'libs/runs/src/tasks/task-clock.ts',
    symbol: 'TaskClock.mend',
    find: 'await maker.make(session, await loadRequest(log, sessionStream(session), requested));',
    replace: '',
  },
];

const OF_CALLBACKS: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'checkpoint-before-delivery',
    story: 'a checkpoint does not name all the runs whose deliveries are open',
    file: 'libs/delivery/src/callbacks/callback-relay.ts',
    symbol: 'CallbackRelay.save',
    find: 'this.checkpoints.save(position, open)',
    replace: 'this.checkpoints.save(position, open.slice(1))',
  },
  {
    name: 'stop-needs-the-log',
    story: 'a relay cannot be stopped while the log takes nothing',
    file: 'libs/delivery/src/callbacks/callback-relay.ts',
    symbol: 'CallbackRelay.saveIfPossible',
    find: '!(error instanceof LogUnavailable)',
    replace: 'true',
  },
  {
    name: 'failed-is-passed',
    story: 'the event after one that failed is sent',
    file: 'libs/delivery/src/callbacks/run-queue.ts',
    symbol: 'RunQueue.sendOn',
    find: '!this.isPassed(event) || this.isDone || this.pause.signal.aborted',
    replace: 'this.isDone || this.pause.signal.aborted',
  },
  {
    name: 'unwritten-forgotten',
    story: 'a relay that hears of another forgets what it has not written yet, and sends it again',
    file: 'libs/delivery/src/callbacks/delivery-log.ts',
    symbol: 'DeliveryLog.load',
    find: "for (const { time, data } of this.unwritten) state.push({ type: 'delivery_attempted', time, data });",
    replace: '',
  },
  {
    name: 'patience-ignored',
    story: 'Retry-After is not heeded',
    file: ATTEMPT,
    symbol: 'CallbackAttempts.waitAfter',
    find: 'parseRetryAfter(outcome.retryAfter, clock.now())',
    replace: 'null',
  },
  {
    name: 'gone-ignored',
    story: 'a receiver that is gone for good is tried again',
    file: ATTEMPT,
    symbol: 'CallbackAttempts.waitAfter',
    find: 'if (outcome.status === GONE) return null;',
    replace: '',
  },
  {
    name: 'id-per-attempt',
    story: 'each attempt has an id of its own',
    file: ATTEMPT,
    symbol: 'CallbackAttempts.send',
    find: 'deliveryId(run.run, sequence)',
    replace: '`${deliveryId(run.run, sequence)}_${clock.now()}`',
  },
];

const OF_ERASURES: readonly Omit<Mutant, 'parts'>[] = [
  {
    name: 'erased-run-goes-on',
    story: 'a run whose session is erased under it goes on for as long as nobody takes what it writes',
    file: 'libs/runs/src/session.ts',
    symbol: 'Session.erased',
    find: 'this.driving?.lose();',
    replace: '',
  },
  {
    name: 'key-outlives-answer',
    story: 'an erasure is answered before the key is destroyed',
    file: 'libs/runs/src/erasure/erase-session.ts',
    symbol: 'EraseSession.erase',
    find: 'await erasures.carryOut(id, key ?? null);',
    replace: 'erasures.carryOut(id, key ?? null).catch(() => undefined);',
  },
  {
    name: 'erasure-left-undone',
    story: 'nobody carries out an erasure whose process died after it was on the log',
    file: 'libs/runs/src/erasure/erasures.ts',
    symbol: 'Erasures.constructor',
    find: "event.type === 'session_erased' && this.erase(event)",
    replace: "event.type === 'none' && this.erase(event)",
  },
  {
    name: 'erased-is-shown',
    story: 'a stream shows what stands in the place of events that are erased',
    file: 'libs/delivery/src/event-streams.ts',
    symbol: 'isGone',
    find: "event.isErased === true || event.type === 'session_erased'",
    replace: "event.type === 'session_erased'",
  },
];

/** Those that only worlds with such parts can show. */
export const MUTANTS_OF_PARTS: readonly Mutant[] = [
  ...OF_FLOWS.map((mutant): Mutant => ({ ...mutant, parts: ['flows'] })),
  ...OF_TASKS.map((mutant): Mutant => ({ ...mutant, parts: ['tasks'] })),
  ...OF_CALLBACKS.map((mutant): Mutant => ({ ...mutant, parts: ['callbacks'] })),
  ...OF_ERASURES.map((mutant): Mutant => ({ ...mutant, parts: ['erasures'] })),
  ...OF_ACTIONS.map((mutant): Mutant => ({ ...mutant, parts: ['actions'] })),
  ...OF_COMPACTIONS.map((mutant): Mutant => ({ ...mutant, parts: ['long'] })),
  ...OF_SEALS.map((mutant): Mutant => ({ ...mutant, parts: ['seals'] })),
  ...OF_FORKS,
];
