export * from './client-sink.js';
export * from './event-streams.js';
export * from './public-json.js';
