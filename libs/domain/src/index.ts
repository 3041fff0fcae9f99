export * from './actions/action.js';
export * from './actions/approval-policy.js';
export * from './actions/asked-input.js';
export * from './actions/decide-action.js';
export * from './actions/started-tasks.js';
export {
  type CallState,
  type ToolResult,
  concernsOthers,
  isReleased,
  isUnasked,
  isUndecided,
} from './actions/waiting-calls.js';
export { type Waiting } from './actions/waiting-run.js';
export * from './api-key.js';
export * from './as-of/as-of.js';
export * from './as-of/chat-message.js';
export * from './as-of/history-messages.js';
export * from './as-of/run-records.js';
export * from './as-of/session-fold.js';
export * from './as-of/session-record.js';
export * from './as-of/title.js';
export * from './compare/run-comparison.js';
export * from './compare/same-json.js';
export * from './compare/turns-fold.js';
export * from './content.js';
export * from './context-budget.js';
export * from './context.js';
export * from './datastores/datastore.js';
export * from './draft.js';
export * from './event-types.js';
export * from './datastores/document.js';
export * from './datastores/names.js';
export * from './deliveries/delivery-events.js';
export * from './deliveries/delivery-fold.js';
export * from './deliveries/delivery-ids.js';
export * from './deliveries/retry.js';
export * from './fork/decide-fork.js';
export * from './fork/fork.js';
export * from './fork/line.js';
export * from './history.js';
export * from './idempotency.js';
export * from './ids.js';
export * from './lists/cursors.js';
export * from './lists/page.js';
export * from './money/budget.js';
export * from './money/dollars.js';
export * from './money/earlier-calls.js';
export * from './money/model-call.js';
export * from './next-action.js';
export * from './problem.js';
export * from './public-event.js';
export * from './read-session-event.js';
export * from './replay/recorded-run.js';
export * from './run-config.js';
export * from './run-ends.js';
export * from './run-state.js';
export * from './run-warning.js';
export * from './session-commands.js';
export * from './result-file.js';
export * from './session-events.js';
export * from './session-state.js';
export * from './tasks/schedule.js';
export * from './tasks/task-events.js';
export * from './tasks/task-ids.js';
export * from './tasks/task-state.js';
export * from './turn-tool-call.js';
export * from './typed-event.js';
export { UNREADABLE_TEXT, canBeSpared } from './unreadable-events.js';
export * from './workflow/attempt-transcript.js';
export * from './workflow/backoff.js';
export * from './workflow/decide-steps.js';
export * from './workflow/next-steps.js';
export * from './workflow/validate-workflows.js';
export * from './workflow/workflow-result.js';
export * from './workflow/workflow-runs.js';
export * from './workflow/workflow-state.js';
export * from './workflow/workflow.js';
