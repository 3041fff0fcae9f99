export { type LogKey, LogKeys, type LogKeysPorts } from './log-keys.js';
export { Receipts, type RunEnd } from './receipts.js';
export type { HeldCheckpoint } from './witnesses/asked-witness.js';
export type { Cosignature } from './witnesses/witness-answer.js';
export { type Cosigning, Witnesses, type WitnessesOptions } from './witnesses/witness-client.js';
