export * from './attempt-transcript.js';
export * from './decide-steps.js';
export * from './next-steps.js';
export * from './validate-workflows.js';
export * from './workflow-result.js';
export * from './workflow-runs.js';
export * from './workflow-state.js';
