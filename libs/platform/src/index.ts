export * from './background.js';
export * from './clock.js';
export * from './logger.js';
export * from './random.js';
