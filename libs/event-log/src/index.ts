export { checkSizes } from './append-sizes.js';
export { appendUntilDefinite } from './append-until-definite.js';
export {
  type Upcast,
  StoredEvent,
  openData,
  sealData,
  shownAs,
  ERASED,
  type Field,
  type RowPage,
  decodeRows,
  encodeMeta,
} from './codec.js';
export * from './envelope.js';
export * from './event-log.js';
export { type FollowerStatus } from './follower/follower-status.js';
export {
  CheckpointRefused,
  Follower,
  type FollowerBatch,
  type FollowerOptions,
  type FollowerPorts,
  type FollowerTarget,
} from './follower/follower.js';
export { type FollowerProgress, Freshness, StoredProgress } from './follower/freshness.js';
export { LogFeed, type LogFeedPorts } from './follower/log-feed.js';
export { RunningFollowers } from './follower/running-followers.js';
export { type FeedLimits, LiveFeed } from './live/live-feed.js';
export { compareLogs } from './operations/compare-logs.js';
export { copyLog, type CopyOptions, type CopyReport } from './operations/copy-log.js';
export {
  type EventCheck,
  type LogFault,
  verifyLog,
  type VerifyOptions,
  type VerifyReport,
} from './operations/verify-log.js';
export { NO_LIMIT, type PageRequest, logPages, streamPages } from './paging.js';
export { PassingLog } from './passing-log.js';
export * from './proof.js';
export {
  ContentChanged,
  ContentKey,
  commitmentOf,
  KEY_BYTES,
  SEAL_BYTES,
  saltOfEvent,
} from './sealing/content-key.js';
export * from './sealing/content-keys.js';
export { MemoryContentKeys } from './sealing/memory-content-keys.js';
export { FULL_SYNC } from './sqlite/full-sync.js';
export { SqliteEventLog, type SqliteEventLogOptions } from './sqlite/sqlite-event-log.js';
export {
  ANY,
  APPEND_FIELDS,
  type AppendRequest,
  EVENT_FIELDS,
  type KeysRequest,
  NO_STREAM,
  STREAM_EXISTS,
  codeOf,
} from './thread/append-request.js';
export { hashPages } from './thread/hash-rows.js';
export { KnownKeys } from './thread/known-keys.js';
export { Numbered } from './thread/numbered.js';
export { type PageTerms, openLoaded, openPage } from './thread/open-page.js';
export { PAGE_BYTES, PAGE_EVENTS, type Page, PageRows, type RawWish, type Row } from './thread/page-rows.js';
export { type PendingAppend, encodeAppends, keysOf } from './thread/pending-append.js';
export { type Thread, type ThreadData, startThread } from './thread/start-thread.js';
export { ThreadKeys } from './thread/thread-keys.js';
