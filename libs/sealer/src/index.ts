export { type SealCheck, checkSeals } from './check-seals.js';
export { type LogKey, LogKeys, type LogKeysPorts } from './log-keys.js';
export type { SignedStates } from './kept-seals.js';
export { policyText } from './policy-text.js';
export type { ProofDatabase } from './postgres/proof-database.js';
export { PostgresProofStore } from './postgres/postgres-proof-store.js';
export { ProofReader, type StreamProof } from './proof-reader.js';
export { ProofStatus } from './proof-status.js';
export { Receipts, type RunEnd } from './receipts.js';
export type { HeldCheckpoint } from './witnesses/asked-witness.js';
export type { Cosignature } from './witnesses/witness-answer.js';
export { type Cosigning, Witnesses, type WitnessesOptions } from './witnesses/witness-client.js';
export type { Published, Stop, StopReason, TreeState } from './seal.js';
export { Sealer } from './sealer.js';
export { SealingStopped, sealingStopped } from './sealing-stopped.js';
export { Sealing, type SealingPorts } from './sealing.js';
export { type SealWitnesses } from './witness-round.js';
export {
  type Bucket,
  ProofStore,
  type ProofStatusRow,
  type StreamPlace,
  type TileGrowth,
  type TilePlace,
  type TreeTables,
} from './tables/proof-store.js';
