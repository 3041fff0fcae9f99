export * from './envelope.js';
export * from './event-log.js';
export * from './file-store.js';
