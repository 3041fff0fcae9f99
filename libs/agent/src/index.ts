export * from './driver.js';
export * from './journal.js';
export * from './journal-entry.js';
export * from './model-client.js';
export * from './model-turn.js';
export * from './modes.js';
export * from './run-writer.js';
export * from './tool.js';
