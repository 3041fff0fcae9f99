export { type Upcast, StoredEvent } from './codec.js';
export * from './envelope.js';
export * from './event-log.js';
export * from './file-store.js';
export { type FeedLimits, LiveFeed } from './live-feed.js';
export { SqliteEventLog, type SqliteEventLogOptions } from './sqlite/sqlite-event-log.js';
export { appendUntilDefinite } from './append-until-definite.js';
