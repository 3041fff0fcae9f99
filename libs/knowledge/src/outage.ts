import { Problem } from '#domain';

/** Whether a call of the system failed, e.g. to remove a file. */
export const isOfSystem = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

/** Whether the database is away, or its tables are being made. */
export const isOutage = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'ReadModelsUnavailable') ||
  (error instanceof Problem && error.code === 'unavailable');

/** Whether it answers, but did not come to the end of a statement within its time. */
export const isStatementTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  error.name === 'ReadModelsUnavailable' &&
  (error as { isStatementTimeout?: unknown }).isStatementTimeout === true;
