export * from './background.js';
export * from './bag.js';
export * from './clock.js';
export * from './close-in-order.js';
export * from './egress/allow-list.js';
export * from './expendable/expendable-process.js';
export * from './expendable/serve-requests.js';
export * from './fair-turns.js';
export { keepFolder } from './folders.js';
export * from './key-files.js';
export * from './logger.js';
export * from './metrics/metrics.js';
export * from './metrics/open-metrics.js';
export * from './metrics/quiet-metrics.js';
export * from './own-copy.js';
export * from './pino-logger.js';
export * from './quota.js';
export * from './random.js';
export * from './scrub.js';
export * from './secret-box.js';
export * from './settings.js';
export * from './threads.js';
export * from './tracing/open-tracer.js';
export * from './tracing/quiet-tracer.js';
export * from './tracing/traceparent.js';
export * from './tracing/tracer.js';
export * from './transient-map.js';
export * from './turn-order.js';
export {
  EgressGuard,
  EgressRefused,
  type EgressVerdict,
  type PinnedAddress,
  Resolver,
  SystemResolver,
} from './egress/egress-guard.js';
