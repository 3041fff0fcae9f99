import { Problem } from '#domain';

/** Whether a call of the system failed, e.g. to remove a file. */
export const isOfSystem = (error: unknown): boolean => (error as NodeJS.ErrnoException).syscall !== undefined;

/** Whether the database is away, or its tables are being made. */
export const isOutage = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'ReadModelsUnavailable') ||
  (error instanceof Problem && error.code === 'unavailable');
