export { type LogKey, LogKeys, type LogKeysPorts } from './log-keys.js';
export { Receipts, type RunEnd } from './receipts.js';
