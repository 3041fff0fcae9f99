export type { ActionsOptions } from './actions.js';
export { type Callback, type CallbackHeaders, type VerifyOptions, verifyCallback } from './callbacks.js';
export { Annals, RunHandle, type StartOptions, type StartRequest, type WaitOptions } from './client.js';
export type { AnnalsOptions } from './connection.js';
export { AnnalsRefused, AnnalsUnreachable, CallbackRefused } from './errors.js';
export { type FollowOptions, isEnd } from './follow.js';
export type * from './types.js';
