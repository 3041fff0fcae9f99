export * from './process/process-schemas.js';
export * from './schemas.js';
export { uncheckedWarning } from './unchecked-warning.js';
export * from './validation.js';
