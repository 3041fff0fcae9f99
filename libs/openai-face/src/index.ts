export * from './given-view.js';
export * from './ids.js';
export * from './items.js';
export * from './passage.js';
export * from './response.js';
export * from './run-face.js';
export * from './session-face.js';
export * from './settings.js';
