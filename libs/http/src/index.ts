export * from './guarded-connections.js';
export * from './http-exchange.js';
export { HttpFailure, type HttpFailureKind } from './http-failure.js';
export * from './plain-connections.js';
