export * from './admission.js';
export * from './load-session.js';
export * from './session.js';
export * from './session-commands.js';
export * from './sessions.js';
export * from './start-run.js';
