import { Problem } from '#domain';

/** Whether the database is away, or its tables are being made. */
export const isOutage = (error: unknown): boolean =>
  (error instanceof Error && error.name === 'ReadModelsUnavailable') ||
  (error instanceof Problem && error.code === 'unavailable');
