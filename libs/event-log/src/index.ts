export { type Upcast, StoredEvent, openData, sealData, shownAs } from './codec.js';
export * from './envelope.js';
export * from './event-log.js';
export * from './keys/content-keys.js';
export { ContentChanged, ContentKey, commitmentOf } from './keys/content-key.js';
export * from './keys/key-store.js';
export { ErasurePlace, type ErasureProgress } from './keys/erasure-place.js';
export { KEY_STREAM, KeyVault, keysMade, type VaultPorts } from './keys/key-vault.js';
export { rotateMaster } from './keys/rotate-master.js';
export { PostgresKeyStore } from './keys/postgres/postgres-key-store.js';
export { SqliteKeyStore } from './keys/sqlite/sqlite-key-store.js';
export { SealedFileStore } from './files/sealed-file-store.js';
export { MemoryContentKeys } from './keys/memory-content-keys.js';
export { StreamKeys } from './keys/stream-keys.js';
export * from './proof.js';
export { PassingLog } from './passing-log.js';
export { CLEAR_TYPES, SealedEventLog } from './sealed-event-log.js';
export { ContentStore, fitsInline } from './content-store.js';
export * from './file-store.js';
export * from './upload-store.js';
export { type FeedLimits, LiveFeed } from './live-feed.js';
export { EsdbEventLog, type EsdbEventLogOptions } from './eventstoredb/esdb-event-log.js';
export { SqliteEventLog, type SqliteEventLogOptions } from './sqlite/sqlite-event-log.js';
export { compareLogs } from './operations/compare-logs.js';
export { copyLog, type CopyOptions, type CopyReport } from './operations/copy-log.js';
export {
  type EventCheck,
  type LogFault,
  verifyLog,
  type VerifyOptions,
  type VerifyReport,
} from './operations/verify-log.js';
export { appendUntilDefinite } from './append-until-definite.js';
export { DiskFileStore } from './files/disk-file-store.js';
export { MemoryFileStore } from './files/memory-file-store.js';
export type { FollowerStatus } from './follower/follower-status.js';
export { RunningFollowers } from './follower/running-followers.js';
export {
  CheckpointRefused,
  Follower,
  type FollowerBatch,
  type FollowerOptions,
  type FollowerPorts,
  type FollowerTarget,
} from './follower.js';
